import type { AdapterAnswer, AdapterContext, InsurerResponse } from "../adapter.ts";
import type { DocumentMapping } from "../answer-mapping.ts";
import type { Charset } from "../charset.ts";
import { readMessage } from "../embedded-document.ts";
import type { TextWithDocuments } from "../text-with-documents.ts";
import { charsetInXml, readXml, writeXml, type XmlElement } from "./xml.ts";

/** A version of SOAP: 1.1 (W3C note of 2000) or 1.2 (W3C recommendation of 2007). */
export type SoapVersion = "1.1" | "1.2";

const ENVELOPE_NAMESPACES: Readonly<Record<SoapVersion, string>> = {
  "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "1.2": "http://www.w3.org/2003/05/soap-envelope",
};

/** The media type of messages, by SOAP version. The `failures` rows for refusals have the same media type. */
export const soapMediaTypes: Readonly<Record<SoapVersion, string>> = {
  "1.1": "text/xml",
  "1.2": "application/soap+xml",
};

/** The common prefix of the names of WS-Security 1.0. */
const WS_SECURITY_PREFIX = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
const SECURITY_NAMESPACE = `${WS_SECURITY_PREFIX}-wssecurity-secext-1.0.xsd`;
const PASSWORD_TEXT_TYPE = `${WS_SECURITY_PREFIX}-username-token-profile-1.0#PasswordText`;

/** The options of a message. */
export interface SoapForm {
  /** The SOAP version. Default: 1.1. */
  readonly version?: SoapVersion;
  /** The charset in the XML declaration. Default: UTF-8. */
  readonly charset?: Charset;
  /** The login for a WS-Security UsernameToken with the password as text. Default: no token. */
  readonly login?: AdapterContext["login"];
}

/**
 * Writes a SOAP message.
 * @param payload - the content of the body, as a tree for `writeXml`
 */
export function writeSoap(
  payload: object,
  { charset = "utf-8", login = null, version = "1.1" }: SoapForm = {},
): string {
  const envelope = {
    "@xmlns:soap": ENVELOPE_NAMESPACES[version],
    ...(login === null ? {} : securityHeader(login)),
    "soap:Body": payload,
  };
  return writeXml({ "soap:Envelope": envelope }, charset);
}

function securityHeader({ password, username }: NonNullable<AdapterContext["login"]>): object {
  return {
    "soap:Header": {
      "wsse:Security": {
        "@xmlns:wsse": SECURITY_NAMESPACE,
        "@soap:mustUnderstand": "1",
        "wsse:UsernameToken": {
          "wsse:Username": username,
          "wsse:Password": { "@Type": PASSWORD_TEXT_TYPE, "#text": password },
        },
      },
    },
  };
}

/**
 * Returns the headers of a request with a SOAP message.
 * @param action - "" for no action, which SOAP 1.1 writes as an empty header, and SOAP 1.2 omits
 */
export function soapHeaders(
  action: string,
  { charset = "utf-8", version = "1.1" }: SoapForm,
): Readonly<Record<string, string>> {
  const type = `${soapMediaTypes[version]}; charset=${charset}`;
  return version === "1.1"
    ? { accept: soapMediaTypes[version], "content-type": type, soapaction: `"${action}"` }
    : {
        accept: soapMediaTypes[version],
        "content-type": action === "" ? type : `${type}; action="${action}"`,
      };
}

/** The parts of a received SOAP message. */
export interface SoapMessage {
  /** The only element in the body; null if the body has no element or several. */
  readonly payload: XmlElement | null;
  /** The UsernameToken in the header; null without a token. */
  readonly login: AdapterContext["login"];
}

/** Returns the parts of a message, or null if the root of the document is not an envelope of this SOAP version. */
export function soapMessageIn(root: XmlElement, version: SoapVersion = "1.1"): SoapMessage | null {
  const namespace = ENVELOPE_NAMESPACES[version];
  if (!isElementNamed(root, "Envelope", namespace)) return null;
  const [body, ...more] = root.children.filter((child) => isElementNamed(child, "Body", namespace));
  const [payload, ...others] = body?.children ?? [];
  const token = ["Header", "Security", "UsernameToken"].reduce<XmlElement | undefined>(
    (parent, name) =>
      parent?.children.find((child) =>
        isElementNamed(child, name, name === "Header" ? namespace : SECURITY_NAMESPACE),
      ),
    root,
  );
  const textOf = (name: string): string =>
    token?.children.find((child) => isElementNamed(child, name, SECURITY_NAMESPACE))?.text ?? "";
  return {
    payload: payload === undefined || more.length > 0 || others.length > 0 ? null : payload,
    login:
      token === undefined ? null : { username: textOf("Username"), password: textOf("Password") },
  };
}

function isElementNamed(
  { name, namespace }: XmlElement,
  expected: string,
  within: string,
): boolean {
  return name === expected && namespace === within;
}

/** The parts of an insurer's SOAP answer. */
export interface SoapAnswer {
  /** The only element in the message's body; null if the answer is not a SOAP message or has no such element. */
  readonly payload: XmlElement | null;
  /** The reason for which the answer cannot be used, as a text for the insurer's developers. */
  readonly why: string;
  readonly documentOf: TextWithDocuments["documentOf"] | undefined;
  /** Reports whether the answer accepts a one-way message: it is a SOAP message or has no body. */
  readonly isAccepted: () => Promise<boolean>;
}

/**
 * Reads an insurer's answer as a SOAP message.
 * @param document - the JSON Pointer of a document in the answer
 */
export async function readSoapAnswer(
  document: DocumentMapping | undefined,
  response: InsurerResponse,
  version: SoapVersion = "1.1",
): Promise<SoapAnswer> {
  const isXml = [...Object.values(soapMediaTypes), "application/xml"].includes(response.mediaType);
  const message = isXml ? await readMessage(document, response, charsetInXml) : null;
  const read = message && readXml(message.text);
  const root = typeof read === "string" ? null : read;
  const found = root && soapMessageIn(root, version);
  return {
    payload: found?.payload ?? null,
    why:
      typeof read === "string" && message?.text.trim() !== ""
        ? `The insurer's answer is not the operation's SOAP message: it ${read}.`
        : "The insurer's answer is not the operation's SOAP message.",
    documentOf: message?.documentOf,
    isAccepted: async () =>
      root === null ? (message?.text ?? (await response.text())).trim() === "" : found !== null,
  };
}

/** Reports whether a namespace belongs to the dialect. The adapter ignores elements of other namespaces. */
export type IsOwn = (namespace: string) => boolean;

/** Returns the refusal in an answer: a SOAP fault, or an answer without a success status. Returns null otherwise. */
export function refusalIn(
  { mediaType, status }: InsurerResponse,
  payload: XmlElement | null,
  isOwn: IsOwn,
  version: SoapVersion = "1.1",
): Extract<AdapterAnswer, { readonly type: "refusal" }> | null {
  const fault = payload && faultContentIn(payload, isOwn, version);
  if (fault !== null)
    return { type: "refusal", status, mediaType: soapMediaTypes[version], content: fault };
  return status < 200 || status > 299
    ? { type: "refusal", status, mediaType, content: null }
    : null;
}

/**
 * Returns the content of a SOAP fault (SOAP 1.1, section 4.4; SOAP 1.2, part 1, section 5.4), without the fault's
 * message, which may quote the customer. Returns null for another payload.
 */
function faultContentIn(payload: XmlElement, isOwn: IsOwn, version: SoapVersion): object | null {
  const namespace = ENVELOPE_NAMESPACES[version];
  if (!isElementNamed(payload, "Fault", namespace)) return null;
  const within = version === "1.1" ? "" : namespace;
  const member = (parent: XmlElement | undefined, name: string): XmlElement | undefined =>
    parent?.children.find((child) => isElementNamed(child, name, within));
  const codeIn = (element: XmlElement | undefined): string | null =>
    element?.text.trim().split(":").at(-1) ?? null;
  const detail = member(payload, version === "1.1" ? "detail" : "Detail");
  const code = member(payload, "Code");
  return {
    fault: {
      code: codeIn(version === "1.1" ? member(payload, "faultcode") : member(code, "Value")),
      ...(version === "1.1" ? {} : { subcode: codeIn(member(member(code, "Subcode"), "Value")) }),
      detail: detail === undefined ? null : contentOf(detail, isOwn),
    },
  };
}

/**
 * Creates a fault as a payload for `writeSoap`.
 * @param code - whether the client or the server caused the fault
 * @param reason - the text of the fault
 * @param detail - the content of the fault, as a tree for `writeXml`
 */
export function soapFault(
  code: "client" | "server",
  reason: string,
  detail: object,
  version: SoapVersion = "1.1",
): object {
  if (version === "1.1") {
    const faultcode = code === "client" ? "soap:Client" : "soap:Server";
    return { "soap:Fault": { faultcode, faultstring: reason, detail } };
  }
  return {
    "soap:Fault": {
      "soap:Code": { "soap:Value": code === "client" ? "soap:Sender" : "soap:Receiver" },
      "soap:Reason": { "soap:Text": { "@xml:lang": "en", "#text": reason } },
      "soap:Detail": detail,
    },
  };
}

/**
 * Returns the content of an element: its text, or its inner elements by name. Repeated elements become lists. Elements
 * of a foreign namespace are ignored.
 */
export function contentOf({ children, isNil, text }: XmlElement, isOwn: IsOwn): unknown {
  if (isNil) return null;
  if (children.length === 0) return text;
  const byName = new Map<string, unknown[]>();
  for (const child of children) {
    if (!isOwn(child.namespace)) continue;
    const values = byName.get(child.name) ?? [];
    values.push(contentOf(child, isOwn));
    byName.set(child.name, values);
  }
  return Object.fromEntries(
    [...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
