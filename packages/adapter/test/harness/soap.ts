import {
  type Document,
  defineProvider,
  document,
  type Endpoint,
  type Lookup,
  lookup,
  none,
  type Provider,
  pdf,
  type Quote,
  quote,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { integer, list, loose, strict, string } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import type { AdapterContext } from "../../src/index.ts";
import { type PublishedSoap, publishedSoap } from "../../src/soap/index.ts";
import { callOffline, type InsurerAnswer, type OfflineCall } from "./call-offline.ts";

const provider = "provider-x";

interface Car {
  readonly plate: string;
  readonly year?: number;
  readonly covers?: string[];
  readonly driver?: { readonly name: string | null; readonly code?: string };
}
interface Premium {
  readonly premium: string;
}
interface Change {
  readonly policyId: string;
  readonly meta?: { readonly key?: string; readonly note?: string };
}

const car = strict<Car>({
  plate: string(),
  year: z.exactOptional(integer()),
  covers: z.exactOptional(list(string())),
  driver: z.exactOptional(
    z.strictObject({ name: z.nullable(string()), code: z.exactOptional(string()) }),
  ),
});
const premium = loose<Premium>({ premium: string() });
const change = strict<Change>({
  policyId: string(),
  meta: z.exactOptional(
    z.strictObject({ key: z.exactOptional(string()), note: z.exactOptional(string()) }),
  ),
});

const priceCar: Quote<{ query: { agent?: string }; body: Car; response: Premium }> = quote({
  provider,
  path: "/price",
  query: strict<{ agent?: string }>({ agent: z.exactOptional(string()) }),
  body: car,
  response: { 200: premium },
});
/** A quote whose request has the same XML element as the request of `priceCar`. */
const priceAgain: Quote<{ body: Car; response: Premium }> = quote({
  provider,
  path: "/price-again",
  body: car,
  response: { 201: premium },
});
const listUsages: Lookup<{ response: object }> = lookup({
  provider,
  path: "/usages",
  response: { 200: loose<object>({}) },
});
const changePolicy: Submission<{ body: Change; response: undefined }> = submission({
  provider,
  path: "/changes",
  body: change,
  response: { 204: none },
  idempotency: "native",
  keyAt: { body: "/meta/key" },
});
const renewPolicy: Submission<{ body: Change; response: object }> = submission({
  provider,
  path: "/renewals",
  body: change,
  response: { 200: loose<object>({}) },
  idempotency: "native",
  keyAt: { header: "x-key" },
});
const printPolicy: Document<{ query: { policyId: string } }> = document({
  provider,
  path: "/print",
  query: strict<{ policyId: string }>({ policyId: string() }),
  files: [pdf],
});

/** A provider whose SOAP messages have every form that the adapter supports. */
export const soapProvider: Provider<
  Readonly<
    Record<
      "priceCar" | "priceAgain" | "listUsages" | "changePolicy" | "renewPolicy" | "printPolicy",
      Endpoint
    >
  >
> = defineProvider({
  id: provider,
  name: "X",
  lines: ["motor"],
  endpoints: { priceCar, priceAgain, listUsages, changePolicy, renewPolicy, printPolicy },
});

const namespace = "u:types";

export const soap: PublishedSoap<typeof soapProvider> = {
  types: {
    Car: {
      namespace,
      fields: [
        { name: "agent", is: "attribute" },
        { name: "plate", as: "token" },
        { name: "year", as: "integer" },
        { name: "covers", xmlName: "cover", repeats: true },
        { name: "driver", type: "Driver", namespace: "u:other" },
      ],
    },
    Driver: { fields: [{ name: "name" }, { name: "code", is: "attribute" }] },
    Premium: { namespace, fields: [{ name: "premium", as: "decimal" }, { name: "ok" }] },
    Usages: { namespace, fields: [{ name: "usage", repeats: true, as: "integer" }] },
    Change: {
      namespace,
      fields: [{ name: "broker" }, { name: "policyId" }, { name: "meta", type: "Meta" }],
    },
    Meta: { fields: [{ name: "key" }, { name: "note" }] },
    Print: { namespace, fields: [{ name: "policyId" }] },
    Printed: {
      namespace,
      fields: [{ name: "pdf", as: "base64" }, { name: "size" }, { name: "state" }],
    },
  },
  calls: {
    priceCar: {
      path: "/motor?wsdl=1",
      action: "u:price",
      request: { name: "price", namespace, type: "Car" },
      answer: { name: "priceResponse", namespace, type: "Premium" },
    },
    priceAgain: {
      path: "/motor",
      action: "u:priceAgain",
      request: { name: "price", namespace, type: "Car" },
      answer: { name: "priceAgainResponse", namespace, type: "Premium" },
      envelope: false,
    },
    listUsages: {
      path: "/motor",
      action: "u:usages",
      answer: { name: "usagesResponse", namespace: "", type: "Usages" },
    },
    changePolicy: {
      path: "/policies",
      action: "u:change",
      request: { name: "change", namespace, type: "Change" },
      settings: { broker: "brokerCode" },
    },
    renewPolicy: {
      path: "/policies",
      action: "u:renew",
      request: { name: "renew", namespace, type: "Change" },
      answer: { name: "renewResponse", namespace },
    },
    printPolicy: {
      path: "/policies",
      action: "u:print",
      request: { name: "print", namespace, type: "Print" },
      answer: { name: "printResponse", namespace, type: "Printed" },
      document: {
        base64: "/pdf",
        mediaType: "application/pdf",
        size: "/size",
        notReady: { at: "/state", is: ["PENDING"] },
      },
    },
  },
};

const ENVELOPE = 'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"';

/** Returns a SOAP 1.1 message as the adapter writes it. */
export function soapMessage(payload: string, header = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope ${ENVELOPE}>${header}<soap:Body>${payload}</soap:Body></soap:Envelope>`;
}

const OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";

/** Returns the header of a SOAP message with a login; the user name and the password are XML texts. */
export function usernameToken(username: string, password: string): string {
  const token = `<wsse:Username>${username}</wsse:Username><wsse:Password Type="${OASIS}-username-token-profile-1.0#PasswordText">${password}</wsse:Password>`;
  return `<soap:Header><wsse:Security xmlns:wsse="${OASIS}-wssecurity-secext-1.0.xsd" soap:mustUnderstand="1"><wsse:UsernameToken>${token}</wsse:UsernameToken></wsse:Security></soap:Header>`;
}

/** The namespace declarations on the element of a message. */
export const NAMESPACES =
  'xmlns:n0="u:types" xmlns:n1="u:other" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** The context of a call, the insurer's answer, and differences from the dialect `soap`. */
interface Given extends Partial<AdapterContext> {
  readonly insurer?: InsurerAnswer;
  readonly dialect?: Partial<PublishedSoap<typeof soapProvider>>;
}

/** Calls an endpoint of `soapProvider`. Default answer of the insurer: an empty message. */
export function callSoap(
  name: keyof typeof soapProvider.endpoints,
  input: Partial<CheckedInput>,
  { dialect = {}, insurer = {}, ...context }: Given = {},
): Promise<OfflineCall> {
  return callOffline(
    publishedSoap(soapProvider, { ...soap, ...dialect }),
    soapProvider.endpoints[name],
    input,
    { mediaType: "text/xml", text: soapMessage(""), ...insurer },
    { settings: { brokerCode: "B-1" }, ...context },
  );
}
