import type { Endpoint } from "./endpoint.ts";
import { type AnswerPlace, type Paging, usualPaging } from "./page.ts";
import { valueAt, withValueAt } from "./pointer.ts";

/** The header in which the callers of a `link` search get the cursor of the next page. */
export const NEXT_CURSOR_HEADER = "next-cursor";

/** What says where a page begins: a number, or a cursor. */
export type Position = string | number;

/** A page as it is requested. */
export interface PageRequest {
  /** Undefined for the first page of what is paged by cursors. */
  readonly position: Position | undefined;
  /** The most items it may have. */
  readonly size: number;
}

/** What a page says of itself. */
export interface PageAnswer {
  readonly items: readonly unknown[];
  /** How many items there are in all; null when the insurer does not say. */
  readonly total: number | null;
  /** The cursor of the next page; null when there is none, and for other styles. */
  readonly next: Position | null;
  /** The position that it repeats; undefined when it repeats none. */
  readonly position: unknown;
  /** The most items it could have had; undefined when it does not say. */
  readonly size: number | undefined;
}

/** The parts of a request that can say which page is meant. */
export interface SearchInput {
  readonly query?: unknown;
  readonly body?: unknown;
}

/** How a search is paged. */
export function pagingOf({ paging = usualPaging }: Pick<Endpoint, "paging">): Paging {
  return paging;
}

/** The headers, in lower case, in which a page says how many items there are and which page is the next. */
export function headersOfPaging({ next, style, total }: Paging): readonly string[] {
  const places = [total, style === "link" ? { header: NEXT_CURSOR_HEADER } : next];
  return places.flatMap((place) => (typeof place === "object" ? [place.header] : []));
}

/** Whether pages are found by counting, so that any page can be requested; otherwise by what the page before names. */
export function isCounted({ style }: Paging): boolean {
  return style !== "cursor" && style !== "link";
}

/** The position of the first page; undefined for cursors. */
export function firstPosition({ from = 1, style }: Paging): number | undefined {
  if (style === "offset") return 0;
  return style === "start" || style === "page" ? from : undefined;
}

/** Which page a request asks for; what it leaves out has its default. */
export function pageAsked(paging: Paging, input: SearchInput): PageRequest {
  const { name, usual } = paging.size;
  const size = name === undefined ? undefined : parameterIn(input, name);
  return {
    // The schemas of the query and the body say that it is a text or a number.
    position: (parameterIn(input, paging.position) ?? firstPosition(paging)) as
      | Position
      | undefined,
    size: typeof size === "number" ? size : usual,
  };
}

/** The request for another page of the same search. */
export function withPosition<Input extends SearchInput>(
  paging: Paging,
  input: Input,
  position: Position | undefined,
): Input {
  return position === undefined ? input : withParameter(input, paging.position, position);
}

/** The request with both parameters of a page; one that the insurer does not take is left out. */
export function askingFor<Input extends SearchInput>(
  paging: Paging,
  input: Input,
  { position, size }: PageRequest,
): Input {
  const { name } = paging.size;
  const placed = withPosition(paging, input, position);
  return name === undefined ? placed : withParameter(placed, name, size);
}

/** What is searched for, without the page that is requested. */
export function withoutPage<Input extends SearchInput>(paging: Paging, input: Input): Input {
  const { name = paging.position } = paging.size;
  return withParameter(withParameter(input, paging.position, undefined), name, undefined);
}

/**
 * Reads what a page says of itself.
 * @param headers - by their names in lower case
 * @returns null for an answer without a list where its items should be
 */
export function pageIn(
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
    next: isCounted(paging) ? null : cursorIn(at(next)),
    position: at(paging.echo),
    size: typeof size === "number" ? size : undefined,
  };
}

/** The position after a page of counted items or pages; for cursors, what the page names. Null when there is none. */
export function positionAfter(
  paging: Paging,
  { position }: PageRequest,
  { items, next }: Pick<PageAnswer, "items" | "next">,
): Position | null {
  if (!isCounted(paging)) return next;
  return Number(position) + (paging.style === "page" ? 1 : items.length);
}

/** The position of a reader of all pages. Made by `firstStep`, and from page to page by `stepAfter`. */
export interface PageStep {
  readonly request: PageRequest;
  /** How many items are before this page; meaningless for cursors. */
  readonly before: number;
  /** The cursors of the pages so far. */
  readonly cursors: ReadonlySet<string>;
  /** How many pages in a row had no item. */
  readonly empty: number;
  /** The items of the page before, as text; "" for none. */
  readonly previous: string;
}

/** So many pages without an item, each naming a next one, are an insurer that never ends. */
const MOST_EMPTY_PAGES = 10;

/** The step to the page with which a reader begins. */
export function firstStep(paging: Paging, request: PageRequest): PageStep {
  const { position, size } = request;
  const passed = Number(position) - (firstPosition(paging) ?? 0);
  return {
    request,
    before: paging.style === "page" ? passed * size : passed,
    cursors: new Set(position === undefined ? [] : [String(position)]),
    empty: 0,
    previous: "",
  };
}

/** Whether an answer is the page that was requested: an insurer that ignores the position repeats the page before. */
export function isPageOf({ previous, request }: PageStep, page: PageAnswer): boolean {
  const isRepeated = page.items.length > 0 && JSON.stringify(page.items) === previous;
  return isPositionOf(page, request.position) && !isRepeated;
}

/** Whether a page that repeats the requested position repeats this one. */
export function isPositionOf({ position }: PageAnswer, asked: Position | undefined): boolean {
  return position === undefined || String(position) === String(asked);
}

/**
 * The step to the next page; "last" when this was the last one, "endless" when the insurer names a page that was read
 * before. The last page is the one that reaches the total or, where the insurer tells none, the first that is not full;
 * of cursors, the one that names no other. A total that equals the items of its own full page may count only these, so
 * it counts as none.
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
  if (isCounted(paging)) {
    const isKnown = total !== null && (total !== items.length || items.length < size);
    const isComplete = isKnown ? seen >= total : items.length < size;
    if (isComplete || items.length === 0) return "last";
  } else if (cursors.has(String(position)) || empty >= MOST_EMPTY_PAGES) return "endless";
  return {
    request: { position, size: request.size },
    before: seen,
    cursors: isCounted(paging) ? cursors : new Set([...cursors, String(position)]),
    empty: items.length === 0 ? empty + 1 : 0,
    previous: JSON.stringify(items),
  };
}

/** A number of items, as a number or as its digits; null for anything else. */
export function countIn(value: unknown): number | null {
  const count = typeof value === "string" && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** No cursor is also written as null, "" or false. */
function cursorIn(value: unknown): Position | null {
  return typeof value === "number" || (typeof value === "string" && value !== "") ? value : null;
}

function parameterIn({ body, query }: SearchInput, name: string): unknown {
  return isInBody(name) ? valueAt(body, name) : asObject(query)[name];
}

/** Whether a parameter of a search is a place in its body, and not in the query. */
export function isInBody(name: string): boolean {
  return name.startsWith("/");
}

/** A request with one parameter set, or without it. */
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
