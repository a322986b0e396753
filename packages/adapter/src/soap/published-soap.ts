import type { Endpoint, FailureRow, Provider } from "@insurance-gateway/core/contract";
import {
  answersOf,
  type CheckedInput,
  escapePointer,
  headersOfPage,
  isEmptyAnswer,
  type KeyPlace,
  kindPolicies,
  pointerNames,
  withValueAt,
} from "@insurance-gateway/core/runtime";
import type { AcceptedCredentials } from "../accepted-credentials.ts";
import {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  type InsurerRequest,
  type InsurerResponse,
  unreadableAnswer,
} from "../adapter.ts";
import type { DocumentMapping, RequestResult } from "../answer-mapping.ts";
import {
  callSourceOf,
  createSpeaks,
  endpointFinder,
  executeCall,
  UnsendableError,
  unsendableAnswer,
} from "../dialect.ts";
import { marksSuccess, type PublishedEnvelope } from "../envelope.ts";
import {
  readSoapAnswer,
  refusalIn,
  type SoapForm,
  type SoapVersion,
  soapHeaders,
  soapMediaTypes,
  writeSoap,
} from "./message.ts";
import { type XmlMessage, type XmlTypes, type XmlValues, xmlValues } from "./xml-values.ts";

/** The mapping of one endpoint to an operation of the insurer's WSDL. */
export interface PublishedSoapCall {
  /** The path after the base address, with its query if there is one. */
  readonly path: string;
  /** The header `SOAPAction`, or the parameter `action` of SOAP 1.2. */
  readonly action: string;
  /** The element in the request's body, with the fields of the declared query and body. Omit it for an empty body. */
  readonly request?: XmlMessage;
  /** The element in the answer's body. Omit it for an operation without an answer. */
  readonly answer?: XmlMessage;
  /** For a document: the place of the document in the answer. */
  readonly document?: DocumentMapping;
  /** The names of the settings that fill fields which callers do not send, by the names of the fields. */
  readonly settings?: Readonly<Record<string, string>>;
  /** `false` if the answers of this operation do not have the dialect's envelope. */
  readonly envelope?: false;
}

/** The operations of a provider's endpoints, by the endpoints' names. */
export type PublishedSoapCalls<P extends Provider<object>> = {
  readonly [Name in keyof P["endpoints"]]?: PublishedSoapCall;
};

/** The description of a SOAP dialect whose declarations were imported from the insurer's WSDL. */
export interface PublishedSoap<P extends Provider<object>> {
  /** The SOAP version. Default: 1.1. */
  readonly version?: SoapVersion;
  readonly types: XmlTypes;
  readonly calls: PublishedSoapCalls<P>;
  /**
   * The meanings of the insurer's faults. The `failures` of endpoint and provider take precedence. `/fault/code` is the
   * local part of a fault's code, `/fault/subcode` the local part of the fault's subcode (SOAP 1.2), and
   * `/fault/detail` the content of the fault's detail. The media type is `text/xml`, or `application/soap+xml` for SOAP
   * 1.2.
   */
  readonly failures?: readonly FailureRow[];
  /**
   * The field that marks an answer as a success, if an answer without a fault is not always a success. The content of
   * an error answer is then the declared answer, and its media type is that of a fault.
   */
  readonly envelope?: PublishedEnvelope;
  /** The credentials that the insurer accepts, as in `Adapter`. */
  readonly credentials?: AcceptedCredentials;
  /** True if messages have the user name and the password (WS-Security UsernameToken, PasswordText). */
  readonly hasUsernameToken?: true;
}

/**
 * Creates the adapter of an insurer that speaks SOAP as its WSDL describes: document/literal and rpc/literal, with one
 * element in each message. The elements and attributes of the message have the declared fields.
 */
export function publishedSoap<P extends Provider<object>>(
  provider: P,
  dialect: PublishedSoap<P>,
): Adapter {
  const calls: Readonly<Record<string, PublishedSoapCall | undefined>> = dialect.calls;
  const callOf = endpointFinder(provider, (name) => calls[name]);
  const values = xmlValuesOf(dialect);
  const { version = "1.1" } = dialect;
  return {
    name: provider.id,
    failures: dialect.failures ?? [],
    speaks: createSpeaks(provider),
    ...(dialect.credentials === undefined ? {} : { credentials: dialect.credentials }),
    async call(endpoint, input, send, context) {
      const call = callOf(endpoint);
      const login = dialect.hasUsernameToken === true ? context.login : null;
      let request: InsurerRequest;
      try {
        request = soapRequestOf({
          call,
          endpoint,
          input,
          values,
          form: { version, login },
          context,
        });
      } catch (error) {
        return unsendableAnswer(error);
      }
      const envelope = call.envelope === false ? undefined : dialect.envelope;
      const ask = async (): Promise<RequestResult> =>
        withEnvelope(
          envelope,
          await readResult(values, call, await send(request), version),
          version,
        );
      if (call.document !== undefined)
        return executeCall({
          endpoint,
          rows: { document: call.document },
          source: callSourceOf(input, context),
          form: {},
          ask,
          decoded: undefined,
        });
      const reply = await ask();
      return "ended" in reply ? reply.ended : valueAnswerOf(endpoint, input, reply, context);
    },
  };
}

/** Creates the functions that write and read the messages of a dialect. */
export function xmlValuesOf<P extends Provider<object>>({
  calls,
  types,
}: PublishedSoap<P>): XmlValues {
  const known: Readonly<Record<string, PublishedSoapCall | undefined>> = calls;
  const messages = Object.values(known)
    .flatMap((call) => [call?.request, call?.answer])
    .filter((message) => message !== undefined);
  return xmlValues(types, messages);
}

interface SoapRequestParts {
  readonly call: PublishedSoapCall;
  readonly endpoint: Endpoint;
  readonly input: CheckedInput;
  readonly values: XmlValues;
  readonly form: SoapForm;
  readonly context: Pick<AdapterContext, "settings" | "submissionId">;
}

function soapRequestOf({
  call,
  context,
  endpoint,
  form,
  input,
  values,
}: SoapRequestParts): InsurerRequest {
  const { keyAt, kind } = endpoint;
  const { submissionId } = context;
  const key = submissionId === null ? undefined : keyAt;
  const named =
    submissionId !== null && key !== undefined && "header" in key
      ? { [key.header]: submissionId }
      : {};
  const payload =
    call.request === undefined
      ? {}
      : writePayload({ call, input, values, context }, call.request, key);
  return {
    method: "POST",
    path: call.path,
    headers: { ...soapHeaders(call.action, form), ...named },
    body: writeSoap(payload, form),
    acts: kindPolicies[kind].actsAtInsurer,
  };
}

/**
 * Returns the fields of a request: those of the caller, those of the operator's settings, and the gateway's ID of a
 * submission.
 */
function requestFieldsOf(
  { settings = {} }: PublishedSoapCall,
  { body, query }: CheckedInput,
  context: SoapRequestParts["context"],
  key: KeyPlace | undefined,
): unknown {
  const configured = Object.entries(settings).flatMap(([field, setting]) =>
    context.settings[setting] === undefined ? [] : [[field, context.settings[setting]] as const],
  );
  const content = { ...query, ...Object(body), ...Object.fromEntries(configured) };
  return key !== undefined && "body" in key
    ? withValueAt(content, key.body, context.submissionId)
    : content;
}

/** Writes the payload of a request. If XML cannot express a field, the error names the source of the field. */
function writePayload(
  { call, context, input, values }: Omit<SoapRequestParts, "endpoint" | "form">,
  message: XmlMessage,
  key: KeyPlace | undefined,
): object {
  try {
    return values.write(message, requestFieldsOf(call, input, context, key), "/body");
  } catch (error) {
    if (!(error instanceof UnsendableError)) throw error;
    const [, field, ...inside] = pointerNames(error.place);
    if (field === undefined) throw error;
    const names = [...sourceOfField(field, call, input, context), ...inside];
    const place = names.map((name) => `/${escapePointer(name)}`).join("");
    throw new UnsendableError(place, error.detail);
  }
}

/** Returns the source of a field's value: the operator's settings, or else the query or the body. */
function sourceOfField(
  field: string,
  { settings = {} }: PublishedSoapCall,
  { query }: CheckedInput,
  context: SoapRequestParts["context"],
): readonly [string, string] {
  const setting = Object.hasOwn(settings, field) ? settings[field] : undefined;
  if (setting !== undefined && context.settings[setting] !== undefined)
    return ["settings", setting];
  return [Object.hasOwn(query, field) ? "query" : "body", field];
}

async function readResult(
  values: XmlValues,
  { answer, document }: PublishedSoapCall,
  response: InsurerResponse,
  version: SoapVersion,
): Promise<RequestResult> {
  const { status } = response;
  const { documentOf, isAccepted, payload, why } = await readSoapAnswer(
    document,
    response,
    version,
  );
  const refusal = refusalIn(response, payload, values.isOwn, version);
  if (refusal !== null) return { ended: refusal };
  if (answer === undefined)
    return (await isAccepted())
      ? { content: undefined, response }
      : { ended: unreadableAnswer(status, "The insurer's answer is not a SOAP message.") };
  if (payload?.name !== answer.name || payload.namespace !== answer.namespace)
    return { ended: unreadableAnswer(status, why) };
  const { misplaced, value } = values.read(answer, payload, "answer");
  const [name] = misplaced;
  if (name === undefined) return { content: value, response, documentOf };
  const detail = `The insurer's answer has the element ${name} in another namespace than its schema says.`;
  return { ended: unreadableAnswer(status, detail) };
}

function withEnvelope(
  envelope: PublishedEnvelope | undefined,
  reply: RequestResult,
  version: SoapVersion,
): RequestResult {
  if (envelope === undefined || "ended" in reply || marksSuccess(envelope, reply.content))
    return reply;
  const { content, response } = reply;
  const { status } = response;
  return { ended: { type: "refusal", status, mediaType: soapMediaTypes[version], content } };
}

function valueAnswerOf(
  endpoint: Endpoint,
  input: CheckedInput,
  { content, response }: Extract<RequestResult, { readonly content: unknown }>,
  { decoded }: AdapterContext,
): AdapterAnswer {
  // SOAP has only one success status, so the gateway's status is in the declaration.
  const [status, declared] = answersOf(endpoint)[0] ?? [response.status];
  if (declared === undefined || isEmptyAnswer(declared))
    return { type: "value", status, value: undefined };
  decoded?.({ content, form: { type: "declared", status, mediaType: "application/json" } });
  if (endpoint.kind !== "search") return { type: "value", status, value: content };
  const headers = headersOfPage(endpoint, input, { value: content, headers: response.headers });
  return headers === null
    ? unreadableAnswer(response.status, "The insurer's next page cannot be requested.")
    : { type: "value", status, value: content, headers };
}
