import {
  answerOf,
  type Endpoint,
  type Fault,
  type Provider,
  valueAt,
} from "@insurance-gateway/core/contract";
import { type CheckedInput, headersOfPage, isEmptyAnswer } from "@insurance-gateway/core/runtime";
import {
  type AdapterAnswer,
  type AdapterContext,
  type AnswerForm,
  type InsurerResponse,
  unmappableAnswer,
  unreadableAnswer,
} from "./adapter.ts";
import type {
  AnswerMapping,
  CallSource,
  DialectCall,
  FaultMapping,
  Polling,
  RequestResult,
} from "./answer-mapping.ts";
import { collectList, collectPage, pagesFault } from "./collected-pages.ts";
import { documentAnswerIn, withoutDocument } from "./embedded-document.ts";
import { type Mapping, type MappingForm, readMapped, writeMapped } from "./mapping.ts";
import { pollingFault } from "./polling.ts";

/**
 * Creates a function that finds the mapping rows of an endpoint.
 * @throws TypeError if `pages` does not match the endpoint's declared paging, or if `poll` is not valid
 */
export function callFinder<Call extends AnswerMapping & { readonly poll?: Polling }>(
  { endpoints, id }: Provider<object>,
  calls: Readonly<Record<string, Call>>,
): (endpoint: Endpoint) => Call {
  const declared: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
  for (const [name, endpoint] of declared) {
    const { pages, poll } = calls[name] ?? {};
    const fault = pagesFault(endpoint, pages) ?? pollingFault(endpoint, poll);
    if (fault !== null) throw new TypeError(`The adapter of ${id}: ${name}: ${fault}`);
  }
  return endpointFinder({ endpoints, id }, (name) => calls[name]);
}

/** Creates a function that finds a value by an endpoint's method and path, even for a copy of the endpoint. */
export function endpointFinder<Found>(
  { endpoints, id }: Pick<Provider<object>, "endpoints" | "id">,
  find: (name: string, endpoint: Endpoint) => Found | undefined,
): (endpoint: Endpoint) => Found {
  const declared: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
  const byPlace = new Map(
    declared.map(([name, endpoint]) => [methodAndPathOf(endpoint), find(name, endpoint)]),
  );
  return (endpoint) => {
    const found = byPlace.get(methodAndPathOf(endpoint));
    if (found === undefined)
      throw new TypeError(`The adapter of ${id} does not support ${methodAndPathOf(endpoint)}`);
    return found;
  };
}

/** Creates the function `speaks` of an adapter. The function reports whether an endpoint belongs to the provider. */
export function createSpeaks({
  endpoints,
}: Pick<Provider<object>, "endpoints">): (endpoint: Endpoint) => boolean {
  const places = new Set(Object.values<Endpoint>({ ...endpoints }).map(methodAndPathOf));
  return (endpoint) => places.has(methodAndPathOf(endpoint));
}

function methodAndPathOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** Creates the values from which a request is written. */
export function callSourceOf(
  input: CheckedInput,
  { settings, submissionId }: AdapterContext,
): CallSource {
  return { ...input, settings, submissionId };
}

/** The error if the insurer's dialect cannot express a value of the request. */
export class UnsendableError extends Error {
  /** The JSON Pointer of the value in the request: `/body/vehicle/modelCode`. */
  readonly place: string;
  /** The reason, as the end of a sentence that begins with the name of the field. */
  readonly detail: string;
  constructor(place: string, detail = "cannot be written in the insurer's format") {
    super(`The value at ${place} ${detail}`);
    this.name = "UnsendableError";
    this.place = place;
    this.detail = detail;
  }
}

/**
 * Converts a part of a request to the insurer's format.
 * @throws UnsendableError for a value that the dialect cannot express
 */
export function writeRequestPart(rows: Mapping, source: object, form: MappingForm = {}): unknown {
  const mapped = writeMapped(rows, source, form);
  if (mapped.fits) return mapped.value;
  throw mapped.why === "charset"
    ? new UnsendableError(mapped.at, "has a character that the insurer's charset does not have")
    : new UnsendableError(mapped.at);
}

/** Executes a call of a dialect. */
export async function executeCall(call: DialectCall): Promise<AdapterAnswer> {
  try {
    const { rows, source } = call;
    if (rows.pages !== undefined)
      return await (rows.pages.whole === undefined ? collectPage : collectList)(
        call,
        rows.pages,
        (of) => sendRequest(call, of),
      );
    const reply = await sendRequest(call, source);
    if ("ended" in reply) return reply.ended;
    return rows.document === undefined
      ? valueAnswerOf(call, reply.content, reply.response)
      : documentAnswerIn(rows.document, reply);
  } catch (error) {
    return unsendableAnswer(error);
  }
}

/** Returns the result of a call if the dialect cannot express a value of the caller. Throws every other error again. */
export function unsendableAnswer(error: unknown): AdapterAnswer {
  const isCallers =
    error instanceof UnsendableError && /^\/(body|headers|params|query)\b/.test(error.place);
  if (!isCallers) throw error;
  const pointer = error.place.replace(/^\/body\b/, "").replace(/^\/params\b/, "/path");
  return { type: "unsendable", faults: [{ pointer, code: "VALUE", message: error.detail }] };
}

/** Sends one request and returns the content of a successful answer. */
async function sendRequest(call: DialectCall, source: CallSource): Promise<RequestResult> {
  const reply = await call.ask(source);
  const body = "content" in reply ? reply : reply.unusable;
  if (body !== undefined)
    call.decoded?.({
      content: withoutDocument(call.rows.document, body.content),
      form: answerFormOf(call, body.response),
    });
  return reply;
}

/** Returns the expected form of a successful answer. */
function answerFormOf(call: DialectCall, { status }: InsurerResponse): AnswerForm {
  const { beside = [], form, rows } = call;
  const { document, pages, unread = [], value = [] } = rows;
  const ours = declaredStatusOf(rows, status);
  const common = { type: "mapped", status: ours, mapping: form, unread } as const;
  if (pages !== undefined) {
    const { each, items, total, whole } = pages;
    const counted = total === undefined ? [] : [{ at: total, required: true }];
    return {
      ...common,
      rows: [{ list: [whole?.at ?? "/items", items], each }],
      beside: [...beside, ...counted],
    };
  }
  if (document === undefined) return { ...common, rows: value, beside };
  const { base64, notReady, size } = document;
  const optional = [notReady?.at, size].filter((at) => at !== undefined);
  return {
    ...common,
    rows: [],
    beside: [
      ...beside,
      // A document that is not ready has no content.
      { at: base64, required: notReady === undefined },
      ...optional.map((at) => ({ at, required: false })),
    ],
  };
}

/** Reports whether the declaration has no content for an answer. The adapter then ignores the insurer's content. */
export function isWithoutContent(endpoint: Endpoint, rows: AnswerMapping, status: number): boolean {
  const declared = answerOf(endpoint, declaredStatusOf(rows, status));
  return declared !== undefined && isEmptyAnswer(declared);
}

/** Returns the declared status. The status 202 stays, because it means that the insurer only accepted a submission. */
function declaredStatusOf(rows: AnswerMapping, status: number): number {
  return status === 200 ? (rows.status ?? status) : status;
}

/** Returns the faulty fields that an error answer names. Omits the answer's messages, which may quote the customer. */
export function faultyFieldsIn(rows: FaultMapping | undefined, content: unknown): readonly Fault[] {
  const found = rows === undefined ? undefined : valueAt(content, rows.list);
  if (rows === undefined || found === undefined || found === null) return [];
  const named = (Array.isArray(found) ? found : [found]).map((item) => valueAt(item, rows.field));
  return named.flatMap((name) => {
    const pointer = typeof name === "string" && Object.hasOwn(rows.names, name) && rows.names[name];
    return pointer
      ? [{ pointer, code: "INVALID", message: "was refused by the insurer" } as const]
      : [];
  });
}

function valueAnswerOf(
  { endpoint, form, rows, source }: DialectCall,
  content: unknown,
  { headers, mediaType, status }: InsurerResponse,
): AdapterAnswer {
  const ours = declaredStatusOf(rows, status);
  if (isWithoutContent(endpoint, rows, status))
    return content === null || content === ""
      ? { type: "value", status: ours, value: undefined }
      : { type: "value", status: ours, mediaType, value: content };
  const mapped = readMapped(rows.value ?? [], content, form);
  if (!mapped.fits) return unmappableAnswer(status, mapped);
  const value = rows.finish === undefined ? mapped.value : rows.finish(mapped.value, content);
  if (value === undefined)
    return unreadableAnswer(status, "The insurer's answer does not have the expected form.");
  if (endpoint.paging === undefined) return { type: "value", status: ours, value };
  const paging = headersOfPage(endpoint, source, { value, headers });
  return paging === null
    ? unreadableAnswer(status, "The insurer's next page cannot be requested.")
    : { type: "value", status: ours, value, headers: paging };
}
