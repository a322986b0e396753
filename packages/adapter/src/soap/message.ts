import type { AdapterAnswer, AdapterContext, InsurerResponse } from "../adapter.ts";
import { type DocumentMapping, messageOf } from "../embedded-document.ts";
import type { TextWithDocuments } from "../text-with-documents.ts";
import { charsetInXml, parseXml, type XmlElement } from "./xml.ts";

/** The namespace of SOAP 1.1, and those of WS-Security 1.0. */
const SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
const OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
const WSSE = `${OASIS}-wssecurity-secext-1.0.xsd`;
const PASSWORD_TEXT = `${OASIS}-username-token-profile-1.0#PasswordText`;

/**
 * Builds the tree of a message, for `writeXml`.
 * @param payload - the content of the body
 * @param login - for a WS-Security UsernameToken; null for none
 */
export function envelopeOf(payload: object, login: AdapterContext["login"]): object {
  return {
    "soap:Envelope": {
      "@xmlns:soap": SOAP,
      ...(login === null ? {} : securityHeader(login)),
      "soap:Body": payload,
    },
  };
}

function securityHeader({ password, username }: NonNullable<AdapterContext["login"]>): object {
  return {
    "soap:Header": {
      "wsse:Security": {
        "@xmlns:wsse": WSSE,
        "@soap:mustUnderstand": "1",
        "wsse:UsernameToken": {
          "wsse:Username": username,
          "wsse:Password": { "@Type": PASSWORD_TEXT, "#text": password },
        },
      },
    },
  };
}

/** The parts of an insurer's answer that every SOAP message has. */
export interface SoapAnswer {
  /** The only element in the body of the message; null if the answer is not a SOAP message or has no such element. */
  readonly payload: XmlElement | null;
  readonly documentOf: TextWithDocuments["documentOf"] | undefined;
  /** Whether the answer is a SOAP message or has no body: with nothing else does an insurer accept a one-way message. */
  readonly isAccepted: () => Promise<boolean>;
}

/**
 * Reads an answer.
 * @param document - the JSON Pointer of a document in the answer
 */
export async function soapAnswer(
  document: DocumentMapping | undefined,
  response: InsurerResponse,
): Promise<SoapAnswer> {
  const isXml = response.mediaType === "text/xml" || response.mediaType === "application/xml";
  const message = isXml ? await messageOf(document, response, charsetInXml) : null;
  const root = message && parseXml(message.text);
  return {
    payload: root === null ? null : payloadOf(root),
    documentOf: message?.documentOf,
    isAccepted: async () =>
      root === null
        ? (message?.text ?? (await response.text())).trim() === ""
        : isSoap(root, "Envelope"),
  };
}

/** Returns the only element in the body of a SOAP 1.1 message, or null. */
export function payloadOf(root: XmlElement): XmlElement | null {
  if (!isSoap(root, "Envelope")) return null;
  const [body, ...more] = root.children.filter((child) => isSoap(child, "Body"));
  const [payload, ...others] = body?.children ?? [];
  return payload === undefined || more.length > 0 || others.length > 0 ? null : payload;
}

function isSoap({ name, namespace }: XmlElement, expected: string): boolean {
  return name === expected && namespace === SOAP;
}

/** Whether an element of a namespace is read. Elements of foreign namespaces are ignored. */
export type IsOwn = (namespace: string) => boolean;

/** The refusal in an answer: a fault, or any answer without a success status; null for neither. */
export function refusalIn(
  { mediaType, status }: InsurerResponse,
  payload: XmlElement | null,
  isOwn: IsOwn,
): Extract<AdapterAnswer, { readonly type: "refusal" }> | null {
  const fault = payload && faultOf(payload, isOwn);
  if (fault !== null) return { type: "refusal", status, mediaType: "text/xml", content: fault };
  return status < 200 || status > 299
    ? { type: "refusal", status, mediaType, content: null }
    : null;
}

/** The content of a fault (SOAP 1.1, section 4.4) without its message, which may quote the customer. */
function faultOf(payload: XmlElement, isOwn: IsOwn): object | null {
  if (!isSoap(payload, "Fault")) return null;
  const member = (name: string): XmlElement | undefined =>
    payload.children.find((child) => child.name === name && child.namespace === "");
  const detail = member("detail");
  return {
    fault: {
      code: member("faultcode")?.text.trim().split(":").at(-1) ?? null,
      detail: detail === undefined ? null : contentOf(detail, isOwn),
    },
  };
}

/**
 * The content of an element: its text, or its elements by name. Repeated elements become lists. Elements of a foreign
 * namespace are ignored.
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
