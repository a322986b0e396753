import { createHash } from "node:crypto";
import { answerOf, isEmptyAnswer } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { pdf } from "../contract/files.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { type PageQuery, pageDefaults } from "../contract/page.ts";
import { countIn } from "../contract/paging.ts";
import { valueAt, withValueAt } from "../contract/pointer.ts";
import type { Provider } from "../contract/provider.ts";
import type {
  AdapterAnswer,
  AdapterContext,
  AnswerForm,
  FieldBeside,
  InsurerResponse,
} from "./adapter.ts";
import { type Mapped, type Mapping, type MappingForm, readMapped, writeMapped } from "./mapping.ts";
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
export interface AnswerRows {
  /** The declared answer; not for a document, or a list in pages. */
  readonly value?: Mapping;
  /** Our status of an answer with the insurer's status 200. */
  readonly status?: number;
  readonly document?: DocumentRows;
  readonly pages?: PageRows;
  /** What no row can say; of a list in pages, for each item. Pure; `undefined` for an answer that cannot be used. */
  readonly finish?: (value: unknown, theirs: unknown) => unknown;
  /**
   * What the insurer documents and no row reads, as JSON Pointers in which an asterisk is every item of a list. The
   * gateway reports every other field that no row reads as an addition.
   */
  readonly unread?: readonly string[];
}

/** A document in base64 (RFC 4648, section 4) within an answer. */
export interface DocumentRows {
  readonly base64: string;
  readonly mediaType: string;
  /** Where the answer says how the document stands, and the words for one that is not made yet. */
  readonly notReady?: { readonly at: string; readonly is: readonly string[] };
  /** Where it says how many bytes the document has, if it does. */
  readonly size?: string;
}

/** A list that the insurer gives in pages of its own. The request's rows write `/page/position` and `/page/size`. */
export interface PageRows {
  /** `page`: the position is the number of a page; `offset`: of an item. */
  readonly style: "page" | "offset";
  /** The number of the first page or item. */
  readonly from: 0 | 1;
  /** The most items that a page may have, at least 50: three pages are enough for one of ours. */
  readonly most: number;
  readonly items: string;
  readonly each: Mapping;
  /** Where the answer says how many items there are in all. */
  readonly total?: string;
  /** Of a list that we give whole: in how many queries at most it is collected, and where our answer has it. */
  readonly whole?: { readonly queries: number; readonly at: string };
}

/** Where a refusal names the fields at fault. */
export interface FaultRows {
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
  readonly rows: AnswerRows;
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
export function callsOf<Call extends AnswerRows>(
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

/** The largest page of ours has 100 items, and three requests are enough for them only with pages of this size. */
const LEAST_PAGE_ITEMS = 50;

function pagesFault({ kind, paging }: Endpoint, pages: PageRows | undefined): string | null {
  if (pages === undefined || kind !== "search") return null;
  if (paging !== undefined)
    return "`pages` answers a search by `start` and `limit`; of one with its own `paging`, write the insurer's page as `value`";
  if (pages.whole !== undefined) return "`pages.whole` is for a list, and a search has pages";
  return pages.most < LEAST_PAGE_ITEMS
    ? `\`pages.most\` must be ${LEAST_PAGE_ITEMS} or more, so that three requests are enough for one page`
    : null;
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
      return await (rows.pages.whole === undefined ? onePage : wholeList)(call, rows.pages);
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

/** What an answer says without the text of its document, which would stay in memory until the answer is compared. */
function withoutDocument(rows: DocumentRows | undefined, content: unknown): unknown {
  const isText = rows !== undefined && typeof valueAt(content, rows.base64) === "string";
  return isText ? withValueAt(content, rows.base64, "") : content;
}

/** Reads an answer as text, in which there may be a document where the rows name one. */
export async function messageOf(
  { document }: AnswerRows,
  response: InsurerResponse,
  charsetIn?: (head: string) => string | undefined,
): Promise<TextWithDocuments> {
  return document === undefined
    ? { text: await response.text(charsetIn), documentOf: () => null }
    : response.textWithDocuments(charsetIn);
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
function ourStatus(rows: AnswerRows, status: number): number {
  return status === 200 ? (rows.status ?? status) : status;
}

/** The places of the faults that a refusal names, never its words: they may quote the customer. */
export function faultsIn(rows: FaultRows | undefined, content: unknown): readonly Fault[] {
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

/** An answer in which something is not as the rows say. */
export function unreadable(status: number, detail: string): AdapterAnswer {
  return { type: "unreadable", status, detail };
}

function misfit(status: number, mapped: Extract<Mapped, { readonly fits: false }>): AdapterAnswer {
  return unreadable(status, `The insurer's answer does not fit its form at ${mapped.at || "/"}.`);
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

/** How many bytes of a document are decoded at a time; a multiple of three, so that each is whole characters of base64. */
const DOCUMENT_CHUNK_BYTES = 3 * 16_384;
const PDF_END_WITHIN_BYTES = 1_024;

function documentIn(
  { base64, mediaType, notReady, size }: DocumentRows,
  { content, documentOf, response: { status } }: DecodedReply,
): AdapterAnswer {
  const state = notReady && valueAt(content, notReady.at);
  if (typeof state === "string" && notReady?.is.includes(state)) return { type: "notReady" };
  const characters = valueAt(content, base64);
  const text = typeof characters === "string" ? characters : "";
  const bytes = documentOf?.(text) ?? null;
  if (bytes === null) return unreadable(status, "The insurer's document is not whole base64.");
  const said = size === undefined ? undefined : valueAt(content, size);
  // A text that is cut at a boundary is still base64.
  const hasEnd =
    mediaType !== pdf.mediaType || bytes.subarray(-PDF_END_WITHIN_BYTES).includes("%%EOF");
  if ((said !== undefined && Number(said) !== bytes.byteLength) || !hasEnd)
    return unreadable(status, "The insurer's document ends too early.");
  return {
    type: "document",
    mediaType,
    content: inChunks(bytes),
    size: bytes.byteLength,
    headers: { etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` },
  };
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += DOCUMENT_CHUNK_BYTES)
    yield bytes.subarray(from, from + DOCUMENT_CHUNK_BYTES);
}

/** One page of ours, from as many of the insurer's as it touches: at most three. */
async function onePage(call: DialectCall, rows: PageRows): Promise<AdapterAnswer> {
  const { limit, start }: Required<PageQuery> = { ...pageDefaults, ...call.source.query };
  const window = { start, limit };
  const size = Math.min(window.limit, rows.most);
  // Only a list by items can be requested from anywhere.
  const skipped = rows.style === "offset" ? 0 : (window.start - 1) % size;
  const first = window.start - 1 - skipped;
  const collected = await collect(call, rows, { first, size, wanted: skipped + window.limit });
  if ("ended" in collected) return collected.ended;
  const { items, response, total } = collected;
  return {
    type: "value",
    status: call.rows.status ?? response.status,
    value: { items: items.slice(skipped, skipped + window.limit), ...window, total },
  };
}

/** A list that we give whole. */
async function wholeList(call: DialectCall, rows: PageRows): Promise<AdapterAnswer> {
  const { at = "/items", queries = 1 } = rows.whole ?? {};
  const wanted = queries * rows.most;
  const collected = await collect(call, rows, { first: 0, size: rows.most, wanted });
  if ("ended" in collected) return collected.ended;
  const { isWhole, items, response, tags } = collected;
  if (!isWhole)
    return unreadable(response.status, `The insurer's list is longer than ${wanted} items.`);
  return {
    type: "value",
    status: call.rows.status ?? response.status,
    value: withValueAt({}, at, items),
    headers: { etag: tags },
  };
}

interface Wanted {
  /** How many items go before the first page, a multiple of the size where pages are counted. */
  readonly first: number;
  readonly size: number;
  /** How many items are needed from there on. */
  readonly wanted: number;
}

interface Collected {
  readonly items: readonly unknown[];
  readonly total: number | null;
  /** Whether the list has no more. */
  readonly isWhole: boolean;
  readonly response: InsurerResponse;
  /** The ETags of all pages in one; "" when one has none. */
  readonly tags: string;
}

async function collect(
  call: DialectCall,
  rows: PageRows,
  { first, size, wanted }: Wanted,
): Promise<Collected | { readonly ended: AdapterAnswer }> {
  const items: unknown[] = [];
  const tags: string[] = [];
  let total: number | null = null;
  for (;;) {
    const before = first + items.length;
    const position = rows.from + (rows.style === "page" ? before / size : before);
    const reply = await asked(call, { ...call.source, page: { position, size } });
    if ("ended" in reply) return reply;
    const { content, response } = reply;
    const page = pageIn(call, rows, content, response);
    if ("ended" in page) return page;
    // The list has changed between two of its pages: an item may have moved to one that was read.
    if (items.length > 0 && page.total !== total)
      return {
        ended: unreadable(response.status, "The insurer's list changed while it was read."),
      };
    total = page.total;
    items.push(...page.items);
    tags.push(/^(?:W\/)?"([^"]*)"$/.exec(response.headers.etag ?? "")?.[1] ?? "");
    const isShort = page.items.length < size;
    // The total of a full first page that equals its items may count only these; the next page shows it.
    const isOfPage =
      before === 0 && items.length < wanted && !isShort && page.total === page.items.length;
    const isEnd = page.total === null ? isShort : !isOfPage && first + items.length >= page.total;
    const isTooMany =
      page.total !== null && page.items.length > 0 && before + page.items.length > page.total;
    // A gap, a total that is none, or an insurer that pays no attention to the size, would give a wrong list.
    if (page.items.length > size || (isShort && !isEnd) || isTooMany)
      return {
        ended: unreadable(response.status, "The insurer's page does not have the requested size."),
      };
    if (isEnd || items.length >= wanted) {
      const etag = tags.every((tag) => tag !== "") ? `"${tags.join(".")}"` : "";
      return { items, total: page.total, isWhole: isEnd, response, tags: etag };
    }
  }
}

function pageIn(
  { form, rows: { finish } }: DialectCall,
  { each, items, total }: PageRows,
  content: unknown,
  { status }: InsurerResponse,
):
  | { readonly items: readonly unknown[]; readonly total: number | null }
  | { readonly ended: AdapterAnswer } {
  const mapped = readMapped([{ list: ["", items], each }], content, form);
  if (!mapped.fits) return { ended: misfit(status, mapped) };
  // The row above makes a list.
  const values = mapped.value as readonly unknown[];
  const theirs = valueAt(content, items);
  const finished = values.map((value, index) =>
    finish === undefined ? value : finish(value, Array.isArray(theirs) ? theirs[index] : theirs),
  );
  const count = total === undefined ? null : countIn(valueAt(content, total));
  const isUncounted = total !== undefined && count === null;
  if (isUncounted || finished.includes(undefined))
    return { ended: unreadable(status, "The insurer's page does not fit its form.") };
  return { items: finished, total: count };
}
