import type { Endpoint } from "./endpoint.ts";
import { type AnswerPlace, type Paging, usualPaging } from "./page.ts";
import { valueAt, withValueAt } from "./pointer.ts";

/** The header in which the callers of a `link` search get the cursor of the next page. */
export const NEXT_CURSOR_HEADER = "next-cursor";

/** The position of a page: a number, or a cursor. */
export type Position = string | number;

/** A requested page. */
export interface PageRequest {
  /** The position of the page; undefined for the first page of a search with cursors. */
  readonly position: Position | undefined;
  /** Maximum of items on the page. */
  readonly size: number;
}

/** The position, size and total that a page reports. */
export interface PageAnswer {
  readonly items: readonly unknown[];
  /** The number of items on all pages; null if the insurer does not report the number. */
  readonly total: number | null;
  /** The cursor of the next page; null on the last page, and in the paging styles without cursors. */
  readonly next: Position | null;
  /** The position that the answer repeats, if any. */
  readonly position: unknown;
  /** The page size that the answer reports, if any. */
  readonly size: number | undefined;
}

/** The parts of a request that can have the paging parameters. */
export interface SearchInput {
  readonly query?: unknown;
  readonly body?: unknown;
}

/** Returns the paging of a search. Default: `start` and `limit`. */
export function pagingOf({ paging = usualPaging }: Pick<Endpoint, "paging">): Paging {
  return paging;
}

/** Returns the lower-case names of the headers in which a page reports the total and the next page. */
export function headersOfPaging({ next, style, total }: Paging): readonly string[] {
  const places = [total, style === "link" ? { header: NEXT_CURSOR_HEADER } : next];
  return places.flatMap((place) => (typeof place === "object" ? [place.header] : []));
}

/** Reports whether a search has numbered pages, so that any page can be requested, without links from page to page. */
export function hasNumberedPages({ style }: Paging): boolean {
  return style !== "cursor" && style !== "link";
}

/** Returns the position of the first page, or undefined for cursors. */
export function firstPosition({ from = 1, style }: Paging): number | undefined {
  if (style === "offset") return 0;
  return style === "start" || style === "page" ? from : undefined;
}

/** Returns the page that a request selects, with defaults for missing parameters. */
export function requestedPage(paging: Paging, input: SearchInput): PageRequest {
  const { name, usual } = paging.size;
  const size = name === undefined ? undefined : parameterIn(input, name);
  return {
    // The schemas of the query and the body allow only a text or a number here.
    position: (parameterIn(input, paging.position) ?? firstPosition(paging)) as
      | Position
      | undefined,
    size: typeof size === "number" ? size : usual,
  };
}

/** Returns the request for another page of the same search. */
export function withPosition<Input extends SearchInput>(
  paging: Paging,
  input: Input,
  position: Position | undefined,
): Input {
  return position === undefined ? input : withParameter(input, paging.position, position);
}

/** Returns the request with the paging parameters of a page. A parameter that the insurer does not have is omitted. */
export function withPageParameters<Input extends SearchInput>(
  paging: Paging,
  input: Input,
  { position, size }: PageRequest,
): Input {
  const { name } = paging.size;
  const placed = withPosition(paging, input, position);
  return name === undefined ? placed : withParameter(placed, name, size);
}

/** Returns the request without its paging parameters. */
export function withoutPage<Input extends SearchInput>(paging: Paging, input: Input): Input {
  const { name = paging.position } = paging.size;
  return withParameter(withParameter(input, paging.position, undefined), name, undefined);
}

/**
 * Reads the position, size and total that a page reports.
 * @param headers - by their names in lower case
 * @returns null if the answer has no list of items
 */
export function parsePage(
  paging: Paging,
  value: unknown,
  headers: Readonly<Record<string, string>>,
): PageAnswer | null {
  const items = valueAt(value, paging.items);
  if (!Array.isArray(items)) return null;
  const at = (place: AnswerPlace | undefined): unknown => {
    if (place === undefined) return undefined;
    return typeof place === "string" ? valueAt(value, place) : headers[place.header];
  };
  const next = paging.style === "link" ? { header: NEXT_CURSOR_HEADER } : paging.next;
  const size = at(paging.size.echo);
  return {
    items,
    total: countIn(at(paging.total)),
    next: hasNumberedPages(paging) ? null : readCursor(at(next)),
    position: at(paging.echo),
    size: typeof size === "number" ? size : undefined,
  };
}

/** Returns the position of the next page: a number, or the cursor in the current page; null if there is no cursor. */
export function positionAfter(
  paging: Paging,
  { position }: PageRequest,
  { items, next }: Pick<PageAnswer, "items" | "next">,
): Position | null {
  if (!hasNumberedPages(paging)) return next;
  return Number(position) + (paging.style === "page" ? 1 : items.length);
}

/** The state of a loop over all pages. Created by `firstStep`, and for each next page by `stepAfter`. */
export interface PageStep {
  readonly request: PageRequest;
  /** Number of items before this page; NaN for cursors. */
  readonly before: number;
  /** The cursors of the pages so far. */
  readonly cursors: ReadonlySet<string>;
  /** Number of consecutive pages without an item. */
  readonly empty: number;
  /** The items of the previous page, as text; "" before the first page. */
  readonly previous: string;
}

/** Maximum of consecutive pages without an item. A search with more empty pages counts as endless. */
const MOST_EMPTY_PAGES = 10;

/** Returns the state of the loop before the first page. */
export function firstStep(paging: Paging, request: PageRequest): PageStep {
  const { position, size } = request;
  const skipped = Number(position) - (firstPosition(paging) ?? 0);
  return {
    request,
    before: paging.style === "page" ? skipped * size : skipped,
    cursors: new Set(position === undefined ? [] : [String(position)]),
    empty: 0,
    previous: "",
  };
}

/** Reports whether an answer is the requested page. An insurer that ignores the position repeats the previous page. */
export function isRequestedPage({ previous, request }: PageStep, page: PageAnswer): boolean {
  const isRepeated = page.items.length > 0 && JSON.stringify(page.items) === previous;
  return isRequestedPosition(page, request.position) && !isRepeated;
}

/** Reports whether the position in an answer is the requested position. */
export function isRequestedPosition(
  { position }: PageAnswer,
  asked: Position | undefined,
): boolean {
  return position === undefined || String(position) === String(asked);
}

/**
 * Returns the state of the loop before the next page, "last" after the last page, or "endless" if the insurer names a
 * page that was read before. The last page reaches the total. Without a total, the last page is the first page that is
 * not full; with cursors, the page without a next cursor. A total that equals the number of items on one full page is
 * ignored, because the insurer may count only this page.
 */
export function stepAfter(
  paging: Paging,
  step: PageStep,
  page: PageAnswer,
): PageStep | "last" | "endless" {
  const { before, cursors, empty, request } = step;
  const { items, size = request.size, total } = page;
  const seen = before + items.length;
  const position = positionAfter(paging, request, page);
  if (position === null) return "last";
  if (hasNumberedPages(paging)) {
    const isKnown = total !== null && (total !== items.length || items.length < size);
    const isComplete = isKnown ? seen >= total : items.length < size;
    if (isComplete || items.length === 0) return "last";
  } else if (cursors.has(String(position)) || empty >= MOST_EMPTY_PAGES) return "endless";
  return {
    request: { position, size: request.size },
    before: seen,
    cursors: hasNumberedPages(paging) ? cursors : new Set([...cursors, String(position)]),
    empty: items.length === 0 ? empty + 1 : 0,
    previous: JSON.stringify(items),
  };
}

/** Returns a number of items, from a number or its digits; null for any other value. */
export function countIn(value: unknown): number | null {
  const count = typeof value === "string" && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** Returns a cursor, or null without a cursor. Some insurers write null, "" or false instead of a cursor. */
function readCursor(value: unknown): Position | null {
  return typeof value === "number" || (typeof value === "string" && value !== "") ? value : null;
}

function parameterIn({ body, query }: SearchInput, name: string): unknown {
  return isInBody(name) ? valueAt(body, name) : asObject(query)[name];
}

/** Reports whether a paging parameter is a JSON Pointer into the body, and not a query parameter. */
export function isInBody(name: string): boolean {
  return name.startsWith("/");
}

/** Returns a request with one parameter set, or removed if the value is undefined. */
export function withParameter<Input extends SearchInput>(
  input: Input,
  name: string,
  value: unknown,
): Input {
  if (isInBody(name)) return { ...input, body: withValueAt(input.body, name, value) };
  const query = asObject(input.query);
  if (value !== undefined) return { ...input, query: { ...query, [name]: value } };
  const { [name]: _, ...others } = query;
  return { ...input, query: others };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
