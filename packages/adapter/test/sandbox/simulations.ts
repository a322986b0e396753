import { defineProvider, type Endpoint, none, type Schema } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { instant, integer, list, loose, strict, string } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { type SandboxRecord, simulated } from "../../src/sandbox/index.ts";

/** The ID of the simulated provider. */
export const provider = "provider-s";
const clock = (): Date => new Date(Date.UTC(2026, 10, 24, 9, 30));

/** A record of a simulated insurer. */
export interface Stored extends SandboxRecord {
  readonly endpoint: string;
  readonly body: unknown;
  readonly reference?: string;
}

/** The input of a simulated call. */
export interface Asked extends Partial<CheckedInput> {
  /** The client's reference for a submission. */
  readonly reference?: string;
}

type Ask = (name: string, asked?: Asked, records?: readonly Stored[]) => unknown;

/** Creates a function that calls a simulated insurer with the given endpoints and examples. */
export function asking(endpoints: Readonly<Record<string, Endpoint>>, examples: object): Ask {
  const declared = defineProvider({ id: provider, name: "S", lines: ["motor"], endpoints });
  const { handlers } = simulated(declared, examples);
  return (name, { reference, ...parts } = {}, records = []) => {
    const handler = handlers[name];
    if (handler === undefined) throw new TypeError(`There is no handler of ${name}`);
    const input = { params: {}, query: {}, headers: {}, body: undefined, ...parts };
    const request = { input, scenario: null, ...(reference === undefined ? {} : { reference }) };
    return handler(request, records, clock);
  };
}

/** The answer about a resource that was removed. */
export const gone: object = {
  status: 404,
  problem: { code: "RESOURCE_NOT_FOUND", detail: "The insurer does not have it." },
};

interface Policy {
  readonly policyId: string;
  readonly holder: { readonly name: string; readonly age?: number };
  readonly covers: string[];
  readonly createdAt?: string;
  readonly note?: string;
}
/** The schema of a policy. */
export const policy: Schema<Policy> = loose<Policy>({
  policyId: z.string().check(z.regex(/^M-\d+$/)),
  holder: z.looseObject({ name: string(), age: z.exactOptional(integer({ minimum: 18 })) }),
  covers: list(string()),
  createdAt: z.exactOptional(instant()),
  note: z.exactOptional(string()),
});
const policyPath = strict<{ policyId: string }>({ policyId: string() });
export const issued: Policy = {
  policyId: "M-0009",
  holder: { name: "Άρης", age: 40 },
  covers: ["fire"],
};
export const other: Policy = {
  policyId: "M-7",
  holder: { name: "Ελένη" },
  covers: ["theft"],
  note: "second",
};

export const readPolicy: Endpoint = {
  kind: "read",
  method: "GET",
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  response: { 200: policy },
};
export const createPolicy: Endpoint = {
  kind: "submission",
  method: "POST",
  provider,
  path: "/policies",
  body: loose<object>({}),
  response: { 201: policy },
  idempotency: "native",
  insurerId: "/policyId",
  reconcile: { endpoint: "searchPolicies", parameters: {}, createdAt: "/createdAt" },
};
const changePolicy: Endpoint = {
  kind: "submission",
  method: "PUT",
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  body: loose<object>({}),
  response: { 200: policy },
};
export const cancelPolicy: Endpoint = {
  kind: "submission",
  method: "DELETE",
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  response: { 204: none },
};
type Name = "readPolicy" | "createPolicy" | "changePolicy" | "cancelPolicy";
/** The endpoints of the simulated provider. */
export const endpoints: Readonly<Record<Name, Endpoint>> = {
  readPolicy,
  createPolicy,
  changePolicy,
  cancelPolicy,
};
/** The examples of each endpoint, by name. */
export const examples: Readonly<Record<Name, object>> = {
  readPolicy: {
    first: { request: { params: { policyId: "M-0009" } }, response: issued },
    second: { request: { params: { policyId: "M-7" } }, response: other },
  },
  createPolicy: {
    first: {
      request: { body: { holder: { name: "Άρης" } } },
      response: { ...issued, createdAt: "2026-01-01T00:00:00Z" },
    },
    second: {
      request: { body: { holder: { name: "Ελένη" }, covers: ["theft"] } },
      response: { ...other, createdAt: "2026-01-01T00:00:00Z" },
    },
  },
  changePolicy: { usual: { request: { params: { policyId: "M-0009" } }, response: issued } },
  cancelPolicy: { usual: { request: { params: { policyId: "M-0009" } }, response: undefined } },
};
/** Calls the simulated insurer that has `endpoints` and `examples`. */
export const ask: Ask = asking(endpoints, examples);

/** The record of a created policy. */
export const stored: Stored = {
  id: "M-0010",
  endpoint: "createPolicy",
  body: { ...other, policyId: "M-0010" },
};
/** The record of a cancelled policy. */
export const removed: Stored = { id: "M-0011", endpoint: "cancelPolicy", body: undefined };
