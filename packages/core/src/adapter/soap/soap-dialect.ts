import type { Endpoint } from "../../contract/endpoint.ts";
import type { FailureRow } from "../../contract/failures.ts";
import { kindPolicies } from "../../contract/kinds.ts";
import type { Provider } from "../../contract/provider.ts";
import type { Adapter, AdapterContext, InsurerRequest, Send } from "../adapter.ts";
import { type Charset, type CharsetWriter, charsetWriter } from "../charset.ts";
import {
  type AnswerMapping,
  type CallSource,
  callsOf,
  carryOut,
  type FaultMapping,
  faultsIn,
  type Reply,
  sourceOf,
  written,
} from "../dialect.ts";
import { messageOf } from "../embedded-document.ts";
import { type Mapping, unreadable } from "../mapping.ts";
import { charsetInXml, parseXml, writeXml, type XmlElement } from "./xml.ts";

/** How one endpoint is expressed as a SOAP operation. JSON Pointers of an answer begin below the operation's answer element. */
export interface SoapCall extends AnswerMapping {
  /** The name of the request's element; the answer's is that with `Response` behind it. */
  readonly operation: string;
  /** The header `SOAPAction`; the namespace, a slash and the operation when left out. */
  readonly action?: string;
  readonly body?: Mapping;
}

/** The dialect of an insurer that speaks SOAP 1.1 (document/literal), as data. */
export interface SoapDialect<P extends Provider<object>> {
  /**
   * What the insurer's refusals mean. Of a fault, `/fault/code` is the local part of its code, and `/fault/detail` what
   * its detail says; the media type is `text/xml`.
   */
  readonly failures: readonly FailureRow[];
  /** After the base address. */
  readonly path: string;
  /** Of the operations, and of what is in them. */
  readonly namespace: string;
  /**
   * The charset of the requests; UTF-8 when left out. A value with a character that it does not have is not sent. Answers
   * name their own.
   */
  readonly charset?: Charset;
  /** Whether what is in an operation has no namespace of its own (`elementFormDefault="unqualified"`). */
  readonly isUnqualified?: true;
  /** Whether user name and password travel in the message (WS-Security UsernameToken, PasswordText). */
  readonly hasUsernameToken?: true;
  readonly faults?: FaultMapping;
  /** One for each endpoint. */
  readonly calls: { readonly [Name in keyof P["endpoints"]]: SoapCall };
}

/** The namespace of SOAP 1.1, and those of WS-Security 1.0. */
const SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
const OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
const WSSE = `${OASIS}-wssecurity-secext-1.0.xsd`;
const PASSWORD_TEXT = `${OASIS}-username-token-profile-1.0#PasswordText`;

type Wording = Pick<
  SoapDialect<Provider<object>>,
  "charset" | "faults" | "hasUsernameToken" | "isUnqualified" | "namespace" | "path"
>;

/** Makes an adapter of a SOAP dialect. */
export function soapDialect<P extends Provider<object>>(
  provider: P,
  dialect: SoapDialect<P>,
): Adapter {
  const callOf = callsOf<SoapCall>(provider, dialect.calls);
  const writer = charsetWriter(dialect.charset ?? "utf-8");
  return {
    name: provider.id,
    failures: dialect.failures,
    call(endpoint, input, send, context) {
      const call = callOf(endpoint);
      return carryOut({
        endpoint,
        rows: call,
        source: sourceOf(input, context),
        form: { lists: "repeated" },
        decoded: context.decoded,
        ask: (source) =>
          ask(
            dialect,
            call,
            requestOf({ ...dialect, writer }, call, endpoint, source, context),
            send,
          ),
      });
    },
  };
}

async function ask(
  { faults, namespace }: Wording,
  call: SoapCall,
  request: InsurerRequest,
  send: Send,
): Promise<Reply> {
  const response = await send(request);
  const { mediaType, status } = response;
  const isXml = mediaType === "text/xml" || mediaType === "application/xml";
  const message = isXml ? await messageOf(call.document, response, charsetInXml) : null;
  const root = message && parseXml(message.text);
  const said = root === null ? null : payloadOf(root);
  const fault = said === null ? null : faultOf(said, namespace);
  if (fault !== null || status < 200 || status > 299)
    return {
      ended: {
        type: "refusal",
        status,
        mediaType: fault === null ? mediaType : "text/xml",
        content: fault,
        faults: faultsIn(faults, fault),
      },
    };
  const isAnswer = said?.name === `${call.operation}Response` && said.namespace === namespace;
  return isAnswer
    ? { content: contentOf(said, namespace), response, documentOf: message?.documentOf }
    : { ended: unreadable(status, "The insurer's answer is not the operation's SOAP message.") };
}

function requestOf(
  {
    charset = "utf-8",
    hasUsernameToken,
    isUnqualified,
    namespace,
    path,
    writer,
  }: Wording & { readonly writer: CharsetWriter },
  { action, body, operation }: SoapCall,
  endpoint: Endpoint,
  source: CallSource,
  { login }: Pick<AdapterContext, "login">,
): InsurerRequest {
  const content = Object(written(body ?? [], source, { carries: writer.carries }));
  const header = hasUsernameToken === true && login !== null ? securityHeader(login) : {};
  const envelope = {
    "soap:Envelope": {
      "@xmlns:soap": SOAP,
      ...header,
      "soap:Body":
        isUnqualified === true
          ? { [`ins:${operation}`]: { "@xmlns:ins": namespace, ...content } }
          : { [operation]: { "@xmlns": namespace, ...content } },
    },
  };
  return {
    method: "POST",
    path,
    headers: {
      accept: "text/xml",
      "content-type": `text/xml; charset=${charset}`,
      soapaction: `"${action ?? `${namespace}/${operation}`}"`,
    },
    body: writer.write(writeXml(envelope, charset)),
    acts: kindPolicies[endpoint.kind].actsAtInsurer,
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

/** The one element in the body of a SOAP 1.1 message; null for anything else. */
function payloadOf(root: XmlElement): XmlElement | null {
  if (!isSoap(root, "Envelope")) return null;
  const [body, ...more] = root.children.filter((child) => isSoap(child, "Body"));
  const [payload, ...others] = body?.children ?? [];
  return payload === undefined || more.length > 0 || others.length > 0 ? null : payload;
}

function isSoap({ name, namespace }: XmlElement, expected: string): boolean {
  return name === expected && namespace === SOAP;
}

/** What a fault says (SOAP 1.1, section 4.4), without its words: they may quote the customer. */
function faultOf(payload: XmlElement, namespace: string): object | null {
  if (!isSoap(payload, "Fault")) return null;
  const member = (name: string): XmlElement | undefined =>
    payload.children.find((child) => child.name === name && child.namespace === "");
  const detail = member("detail");
  return {
    fault: {
      code: member("faultcode")?.text.trim().split(":").at(-1) ?? null,
      detail: detail === undefined ? null : contentOf(detail, namespace),
    },
  };
}

/**
 * What an element says: its text, or its elements by name, of which repeated ones are lists. An element of another
 * namespace is a foreign one and is left out.
 */
function contentOf({ children, isNil, text }: XmlElement, namespace: string): unknown {
  if (isNil) return null;
  if (children.length === 0) return text;
  const byName = new Map<string, unknown[]>();
  for (const child of children) {
    if (child.namespace !== namespace && child.namespace !== "") continue;
    const values = byName.get(child.name) ?? [];
    values.push(contentOf(child, namespace));
    byName.set(child.name, values);
  }
  return Object.fromEntries(
    [...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
