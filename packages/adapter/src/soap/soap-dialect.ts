import type { Endpoint, FailureRow, Provider } from "@insurance-gateway/core/contract";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import type { Adapter, AdapterContext, InsurerRequest, Send } from "../adapter.ts";
import { unreadableAnswer } from "../adapter.ts";
import type {
  AnswerMapping,
  CallSource,
  FaultMapping,
  Polling,
  RequestResult,
} from "../answer-mapping.ts";
import { type CharsetWriter, charsetWriter } from "../charset.ts";
import {
  callFinder,
  callSourceOf,
  createSpeaks,
  executeCall,
  faultyFieldsIn,
  writeRequestPart,
} from "../dialect.ts";
import { marksSuccess, type PublishedEnvelope } from "../envelope.ts";
import type { Mapping } from "../mapping.ts";
import { isPending, pollUntilFinished } from "../polling.ts";
import {
  contentOf,
  type IsOwn,
  readSoapAnswer,
  refusalIn,
  type SoapForm,
  soapHeaders,
  soapMediaTypes,
  writeSoap,
} from "./message.ts";

/** A request to the insurer, as a SOAP operation. */
export interface SoapRequest {
  /** The name of the request's element. The answer's element has the same name with the suffix `Response`. */
  readonly operation: string;
  /** The header `SOAPAction`, or the parameter `action` of SOAP 1.2. Default: namespace, slash and operation. */
  readonly action?: string;
  readonly body?: Mapping;
}

/** The SOAP operation of one endpoint. JSON Pointers into an answer begin below the operation's answer element. */
export interface SoapCall extends SoapRequest, AnswerMapping {
  /**
   * The query for the result, for an insurer that first accepts a request and finishes the work later. The rows of the
   * query read the insurer's name for the work at `/ticket`. The other rows of the call read the last answer.
   */
  readonly poll?: Polling & SoapRequest;
}

/** The description of an insurer's SOAP dialect (document/literal). */
export interface SoapDialect<P extends Provider<object>> extends Omit<SoapForm, "login"> {
  /**
   * The meanings of the insurer's faults. `/fault/code` is the local part of a fault's code, `/fault/subcode` the local
   * part of its subcode (SOAP 1.2), and `/fault/detail` the content of its detail. The media type is `text/xml`, or
   * `application/soap+xml` for SOAP 1.2.
   */
  readonly failures: readonly FailureRow[];
  /** The path of all operations after the base address. */
  readonly path: string;
  /** The namespace of the operations and of their fields. */
  readonly namespace: string;
  /**
   * The field that marks an answer as a success, if an answer without a fault is not always a success. The content of
   * an error answer is then that of the operation's answer element, and its media type is that of a fault.
   */
  readonly envelope?: PublishedEnvelope;
  /** True if the fields of an operation have no namespace (`elementFormDefault="unqualified"`). */
  readonly isUnqualified?: true;
  /** True if messages have the user name and the password (WS-Security UsernameToken, PasswordText). */
  readonly hasUsernameToken?: true;
  readonly faults?: FaultMapping;
  /** The insurer's operation for each endpoint, by the endpoint's name. */
  readonly calls: { readonly [Name in keyof P["endpoints"]]: SoapCall };
}

/**
 * Creates the adapter of a SOAP dialect. The adapter does not send a value with a character that the `charset` of the
 * requests does not have. Each answer names its charset in its header or its XML declaration.
 */
export function soapDialect<P extends Provider<object>>(
  provider: P,
  dialect: SoapDialect<P>,
): Adapter {
  const callOf = callFinder<SoapCall>(provider, dialect.calls);
  const writer = charsetWriter(dialect.charset ?? "utf-8");
  return {
    name: provider.id,
    failures: dialect.failures,
    speaks: createSpeaks(provider),
    call(endpoint, input, send, context) {
      const call = callOf(endpoint);
      const { poll } = call;
      const asking: SoapCallContext = {
        dialect,
        writer,
        call,
        endpoint,
        send,
        login: context.login,
      };
      return executeCall({
        endpoint,
        rows: call,
        source: callSourceOf(input, context),
        form: { lists: "repeated" },
        decoded: context.decoded,
        beside:
          dialect.envelope === undefined ? [] : [{ at: dialect.envelope.at, required: false }],
        ask: async (source) => {
          const first = await sendSoapRequest(asking, call, source);
          if (poll === undefined) return first;
          const query = (asked: CallSource): Promise<RequestResult> =>
            sendSoapRequest(asking, poll, asked);
          return pollUntilFinished(first, poll, { endpoint, source, wait: context.wait, query });
        },
      });
    },
  };
}

/** The parts that all requests of one call share. */
interface SoapCallContext {
  readonly dialect: Omit<SoapDialect<Provider<object>>, "calls" | "failures">;
  readonly writer: CharsetWriter;
  readonly call: SoapCall;
  readonly endpoint: Endpoint;
  readonly send: Send;
  readonly login: AdapterContext["login"];
}

/** Sends a request of a call: the main request, which the insurer may carry out, or a query. */
async function sendSoapRequest(
  asking: SoapCallContext,
  request: SoapRequest,
  source: CallSource,
): Promise<RequestResult> {
  const { call, dialect } = asking;
  const { envelope, faults, namespace, version = "1.1" } = dialect;
  const response = await asking.send(soapRequestOf(asking, request, source));
  const isOwn: IsOwn = (one) => one === namespace || one === "";
  const { documentOf, payload, why } = await readSoapAnswer(call.document, response, version);
  const refusal = refusalIn(response, payload, isOwn, version);
  if (refusal !== null)
    return { ended: { ...refusal, faults: faultyFieldsIn(faults, refusal.content) } };
  const { status } = response;
  if (payload?.name !== `${request.operation}Response` || payload.namespace !== namespace)
    return { ended: unreadableAnswer(status, why) };
  const content = contentOf(payload, isOwn);
  const reply = { content, response, documentOf };
  if (isPending(call.poll, reply) || envelope === undefined || marksSuccess(envelope, content))
    return reply;
  const mediaType = soapMediaTypes[version];
  const named = faultyFieldsIn(faults, content);
  return { ended: { type: "refusal", status, mediaType, content, faults: named } };
}

function soapRequestOf(
  { call, dialect, endpoint, login, writer }: SoapCallContext,
  request: SoapRequest,
  source: CallSource,
): InsurerRequest {
  const { hasUsernameToken, isUnqualified, namespace, path } = dialect;
  const { action, body, operation } = request;
  const content = Object(writeRequestPart(body ?? [], source, { carries: writer.carries }));
  const payload =
    isUnqualified === true
      ? { [`ins:${operation}`]: { "@xmlns:ins": namespace, ...content } }
      : { [operation]: { "@xmlns": namespace, ...content } };
  const message = writeSoap(payload, {
    ...dialect,
    login: hasUsernameToken === true ? login : null,
  });
  return {
    method: "POST",
    path,
    headers: soapHeaders(action ?? `${namespace}/${operation}`, dialect),
    body: writer.write(message),
    acts: request === call && kindPolicies[endpoint.kind].actsAtInsurer,
  };
}
