import {
  type Endpoint,
  type FailureRow,
  kindPolicies,
  type Provider,
} from "@insurance-gateway/core/contract";
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
import { type Mapping, unreadable } from "../mapping.ts";
import { contentOf, envelopeOf, type IsOwn, refusalIn, soapAnswer } from "./message.ts";
import { writeXml } from "./xml.ts";

/** How one endpoint is expressed as a SOAP operation. JSON Pointers of an answer begin below the operation's answer element. */
export interface SoapCall extends AnswerMapping {
  /** The name of the request's element. The answer's element has the suffix `Response`. */
  readonly operation: string;
  /** The header `SOAPAction`. Default: the namespace, a slash and the operation. */
  readonly action?: string;
  readonly body?: Mapping;
}

/** The dialect of an insurer that speaks SOAP 1.1 (document/literal), as data. */
export interface SoapDialect<P extends Provider<object>> {
  /**
   * What the insurer's faults mean. `/fault/code` is the local part of a fault's code, and `/fault/detail` the content
   * of its detail. The media type is `text/xml`.
   */
  readonly failures: readonly FailureRow[];
  /** After the base address. */
  readonly path: string;
  /** The namespace of the operations and their fields. */
  readonly namespace: string;
  /**
   * The charset of the requests. Default: UTF-8. A value with a character that the charset does not have is not sent.
   * Answers name their own charset.
   */
  readonly charset?: Charset;
  /** Whether the fields in an operation have no namespace (`elementFormDefault="unqualified"`). */
  readonly isUnqualified?: true;
  /** Whether the message has the user name and the password (WS-Security UsernameToken, PasswordText). */
  readonly hasUsernameToken?: true;
  readonly faults?: FaultMapping;
  /** One for each endpoint. */
  readonly calls: { readonly [Name in keyof P["endpoints"]]: SoapCall };
}

type Wording = Pick<
  SoapDialect<Provider<object>>,
  "charset" | "faults" | "hasUsernameToken" | "isUnqualified" | "namespace" | "path"
>;

/** Creates the adapter of a SOAP dialect. */
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
  const isOwn: IsOwn = (one) => one === namespace || one === "";
  const { documentOf, payload } = await soapAnswer(call.document, response);
  const refusal = refusalIn(response, payload, isOwn);
  if (refusal !== null) return { ended: { ...refusal, faults: faultsIn(faults, refusal.content) } };
  const isAnswer = payload?.name === `${call.operation}Response` && payload.namespace === namespace;
  return isAnswer
    ? { content: contentOf(payload, isOwn), response, documentOf }
    : {
        ended: unreadable(
          response.status,
          "The insurer's answer is not the operation's SOAP message.",
        ),
      };
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
  const payload =
    isUnqualified === true
      ? { [`ins:${operation}`]: { "@xmlns:ins": namespace, ...content } }
      : { [operation]: { "@xmlns": namespace, ...content } };
  const envelope = envelopeOf(payload, hasUsernameToken === true ? login : null);
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
