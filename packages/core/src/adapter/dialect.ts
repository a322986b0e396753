import { answerOf, isEmptyAnswer } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { valueAt } from "../contract/pointer.ts";
import type { Provider } from "../contract/provider.ts";
import type {
  AdapterAnswer,
  AdapterContext,
  AnswerForm,
  FieldBeside,
  InsurerResponse,
} from "./adapter.ts";
import { onePage, type PageMapping, pagesFault, wholeList } from "./collected-pages.ts";
import { type DocumentMapping, documentIn, withoutDocument } from "./embedded-document.ts";
import {
  type Mapping,
  type MappingForm,
  misfit,
  readMapped,
  unreadable,
  writeMapped,
} from "./mapping.ts";
import { headersOfPage } from "./page-headers.ts";
import type { TextWithDocuments } from "./text-with-documents.ts";

/** What a request of the insurer's is written from; the rows of a request name its places: `/body/holder/afm`. */
export interface CallSource extends CheckedInput {
  /** Our own name for a submission; null for other kinds. */
  readonly submissionId: string | null;
  /** What the operator configured for the provider. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Of a call with pages: where the page begins, in the insurer's count, and how many items it may have. */
  readonly page?: { readonly position: number; readonly size: number };
}

/** How the answers to one endpoint are read, as data. Places are JSON Pointers into what the insurer's answer says. */
export interface AnswerMapping {
  /** The declared answer; not for a document, or a list in pages. */
  readonly value?: Mapping;
  /** Our status of an answer with the insurer's status 200. */
  readonly status?: number;
  readonly document?: DocumentMapping;
  readonly pages?: PageMapping;
  /** What no row can say; of a list in pages, for each item. Pure; `undefined` for an answer that cannot be used. */
  readonly finish?: (value: unknown, theirs: unknown) => unknown;
  /**
   * What the insurer documents and no row reads, as JSON Pointers in which an asterisk is every item of a list. The
   * gateway reports every other field that no row reads as an addition.
   */
  readonly unread?: readonly string[];
}

/** Where a refusal names the fields at fault. */
export interface FaultMapping {
  readonly list: string;
  /** Where an item of the list has the insurer's name of the field. */
  readonly field: string;
  /** The insurer's names with ours, as JSON Pointers of the declared body. */
  readonly names: Readonly<Record<string, string>>;
}

/** What came back to one request: what a success says, or an answer that ends the call. */
export type Reply =
  | DecodedReply
  /** With what it says where it is no refusal, and still cannot be used. */
  | { readonly ended: AdapterAnswer; readonly unusable?: DecodedReply };

/** An answer whose body was decoded. */
export interface DecodedReply {
  readonly content: unknown;
  readonly response: InsurerResponse;
  /** Of a message with documents: reads a text of the content as a document. */
  readonly documentOf?: TextWithDocuments["documentOf"] | undefined;
}

/** One call of a dialect. */
export interface DialectCall {
  readonly endpoint: Endpoint;
  readonly rows: AnswerMapping;
  readonly source: CallSource;
  readonly form: MappingForm;
  /** Sends one request and reads its answer as far as every answer of the dialect is read. */
  readonly ask: (source: CallSource) => Promise<Reply>;
  readonly decoded: AdapterContext["decoded"];
  /** What every answer of the dialect has beside what the rows read. */
  readonly beside?: readonly FieldBeside[];
}

/**
 * Finds the rows of an endpoint.
 * @throws TypeError for rows of pages that do not fit how the endpoint is paged
 */
export function callsOf<Call extends AnswerMapping>(
  { endpoints, id }: Provider<object>,
  calls: Readonly<Record<string, Call>>,
): (endpoint: Endpoint) => Call {
  const declared: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
  for (const [name, endpoint] of declared) {
    const fault = pagesFault(endpoint, calls[name]?.pages);
    if (fault !== null) throw new TypeError(`The adapter of ${id}: ${name}: ${fault}`);
  }
  return namedBy({ endpoints, id }, (name) => calls[name]);
}

/** Finds what a provider has for an endpoint by its method and path, so that two copies of a package agree. */
export function namedBy<Found>(
  { endpoints, id }: Pick<Provider<object>, "endpoints" | "id">,
  find: (name: string, endpoint: Endpoint) => Found | undefined,
): (endpoint: Endpoint) => Found {
  const declared: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
  const byPlace = new Map(
    declared.map(([name, endpoint]) => [placeOf(endpoint), find(name, endpoint)]),
  );
  return (endpoint) => {
    const found = byPlace.get(placeOf(endpoint));
    if (found === undefined)
      throw new TypeError(`The adapter of ${id} does not speak ${placeOf(endpoint)}`);
    return found;
  };
}

function placeOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** What the rows of requests read. */
export function sourceOf(
  input: CheckedInput,
  { settings, submissionId }: AdapterContext,
): CallSource {
  return { ...input, settings, submissionId };
}

/** A value of the caller's that the insurer's dialect cannot say. */
export class UnsendableError extends Error {
  /** The place in the request: `/body/vehicle/modelCode`. */
  readonly place: string;
  /** Why, in words that go behind the name of the field. */
  readonly detail: string;
  constructor(place: string, detail = "cannot be written in the insurer's format") {
    super(`The value at ${place} ${detail}`);
    this.name = "UnsendableError";
    this.place = place;
    this.detail = detail;
  }
}

/** Writes a part of a request; throws UnsendableError. */
export function written(rows: Mapping, source: object, form: MappingForm = {}): unknown {
  const mapped = writeMapped(rows, source, form);
  if (mapped.fits) return mapped.value;
  throw mapped.why === "charset"
    ? new UnsendableError(mapped.at, "has a character that the insurer's charset does not have")
    : new UnsendableError(mapped.at);
}

/** Carries a call of a dialect out. */
export async function carryOut(call: DialectCall): Promise<AdapterAnswer> {
  try {
    const { rows, source } = call;
    if (rows.pages !== undefined)
      return await (rows.pages.whole === undefined ? onePage : wholeList)(call, rows.pages, (of) =>
        asked(call, of),
      );
    const reply = await asked(call, source);
    if ("ended" in reply) return reply.ended;
    return rows.document === undefined
      ? valueIn(call, reply.content, reply.response)
      : documentIn(rows.document, reply);
  } catch (error) {
    return unsendable(error);
  }
}

/** What a value of the caller's that the insurer's dialect cannot say makes of a call; every other error is thrown again. */
export function unsendable(error: unknown): AdapterAnswer {
  const isCallers =
    error instanceof UnsendableError && /^\/(body|headers|params|query)\b/.test(error.place);
  if (!isCallers) throw error;
  const pointer = error.place.replace(/^\/body\b/, "").replace(/^\/params\b/, "/path");
  return { type: "unsendable", faults: [{ pointer, code: "VALUE", message: error.detail }] };
}

/** Sends one request, and hands over what a successful answer says. */
async function asked(call: DialectCall, source: CallSource): Promise<Reply> {
  const reply = await call.ask(source);
  const body = "content" in reply ? reply : reply.unusable;
  if (body !== undefined)
    call.decoded?.({
      content: withoutDocument(call.rows.document, body.content),
      form: formOf(call, body.response),
    });
  return reply;
}

/** The form that a successful answer should have. */
function formOf(call: DialectCall, { status }: InsurerResponse): AnswerForm {
  const { beside = [], form, rows } = call;
  const { document, pages, unread = [], value = [] } = rows;
  const ours = ourStatus(rows, status);
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
      // An answer that says that the document is not made yet has none.
      { at: base64, required: notReady === undefined },
      ...optional.map((at) => ({ at, required: false })),
    ],
  };
}

/** That a submission is only accepted says more than the rows. */
function ourStatus(rows: AnswerMapping, status: number): number {
  return status === 200 ? (rows.status ?? status) : status;
}

/** The places of the faults that a refusal names, never its words: they may quote the customer. */
export function faultsIn(rows: FaultMapping | undefined, content: unknown): readonly Fault[] {
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

function valueIn(
  { endpoint, form, rows, source }: DialectCall,
  content: unknown,
  { headers, status }: InsurerResponse,
): AdapterAnswer {
  const ours = ourStatus(rows, status);
  const declared = answerOf(endpoint, ours);
  if (declared !== undefined && isEmptyAnswer(declared))
    return content === null
      ? { type: "value", status: ours, value: undefined }
      : unreadable(status, "The insurer's answer has a body, and declares none.");
  const mapped = readMapped(rows.value ?? [], content, form);
  if (!mapped.fits) return misfit(status, mapped);
  const value = rows.finish === undefined ? mapped.value : rows.finish(mapped.value, content);
  if (value === undefined) return unreadable(status, "The insurer's answer does not fit its form.");
  if (endpoint.paging === undefined) return { type: "value", status: ours, value };
  const paging = headersOfPage(endpoint, source, { value, headers });
  return paging === null
    ? unreadable(status, "The insurer's next page cannot be requested.")
    : { type: "value", status: ours, value, headers: paging };
}
