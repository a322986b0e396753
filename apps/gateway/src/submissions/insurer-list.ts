import type { Endpoint, Paging } from "@insurance-gateway/core/contract";
import {
  canBeCreatedSince,
  creationInstants,
  firstPosition,
  hasNumberedPages,
  insurerIdOf,
  isOfCredentials,
  isRequestedPosition,
  type PageAnswer,
  type PageRequest,
  type Position,
  pagingOf,
  parsePage,
  positionAfter,
  type QueryValues,
  Refusal,
  reconciliationInput,
} from "@insurance-gateway/core/runtime";
import type { CancellationSignal } from "@insurance-gateway/core/transport";
import type { Days } from "../accounts/usage/days.ts";
import { repeatsName } from "../json.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";

/** How one query is made. */
export interface QueryWay {
  /** Resolves when another request may be sent to the insurer: every page is one. */
  readonly mayAsk: () => Promise<void>;
  /** Whether it is sent although the insurer's breaker is open, to see whether the insurer answers again. */
  readonly probe: boolean;
}

/** The query for one submission. */
export interface Listing {
  readonly endpoint: Endpoint;
  /** The operator's calendar, by which times without a zone are read. */
  readonly days: Pick<Days, "offsetAt">;
  readonly record: SubmissionRecord;
  /** The searched values, by the names of `reconcile.parameters`. */
  readonly values: QueryValues;
  readonly way: QueryWay;
  /** Gives the query up. */
  readonly stopping: CancellationSignal;
}

/** The content of the insurer's list. */
export interface Listed {
  readonly items: readonly unknown[];
  /** Whether every item was seen that the insurer can have created for the submission. */
  readonly complete: boolean;
  /** Whether no page contradicts its request. Otherwise an item may be missing, and only the items that were found count. */
  readonly asAsked: boolean;
}

/** The items, before the pages are compared with their requests. */
type ReadItems = Omit<Listed, "asAsked">;

/** The most items of a page that is asked for, where the insurer gives as many. */
const PAGE_LIMIT = 100;
/** Maximum of pages for one query. A customer with more newer items at the insurer needs manual resolution. */
const MOST_PAGES = 10;

/**
 * Reads the insurer's list, the newest first, until the first item that is older than the submission. The two ways of
 * reading state the proof that no item was missed while the list changed.
 * @returns the reason, when the insurer does not answer the first page
 */
export async function listItems(search: ProviderRoute, listing: Listing): Promise<Listed | NoList> {
  const paging = pagingOf(search.endpoint);
  const { name, usual, most = usual } = paging.size;
  const size = name === undefined ? usual : Math.min(PAGE_LIMIT, most);
  const pages: FoundPage[] = [];
  let left = MOST_PAGES;
  const read = async (position: Position | undefined): Promise<FoundPage | Missing> => {
    if (left === 0) return "unusable";
    left -= 1;
    await listing.way.mayAsk();
    const page = await readPage(search, listing, { position, size });
    if (typeof page !== "string") pages.push(page);
    return page;
  };
  const first = await read(firstPosition(paging));
  if (first === "unanswered" || first === "no_credentials") return first;
  if (first === "unusable") return { items: [], complete: false, asAsked: false };
  const beginsAnywhere = paging.style === "start" || paging.style === "offset";
  // A page of one item has none to repeat beside a new one.
  const listed = await (beginsAnywhere && first.items.length > 1
    ? overlapping(paging, listing, first, read)
    : twice(paging, listing, first, read));
  const asAsked = pages.every((page) => isAsAsked(paging, page, listed.items.length));
  return { ...listed, asAsked };
}

/**
 * Asks the insurer, where it can be asked so, for what the submission created by our own name for it.
 * @returns the item; null when there is none, or more than one; why there is no answer
 */
export async function findByReference(
  search: ProviderRoute,
  listing: Listing,
): Promise<{ readonly item: unknown } | NoList | null> {
  if (!search.upstream.findsByReference(search.endpoint)) return null;
  await listing.way.mayAsk();
  const position = firstPosition(pagingOf(search.endpoint));
  const page = await readPage(search, listing, { position, size: 1 }, listing.record.id);
  if (page === "unanswered" || page === "no_credentials") return page;
  if (page === "unusable" || page.items.length !== 1) return null;
  return { item: page.items[0] };
}

/** A page with the request that it answers. */
interface FoundPage extends PageAnswer {
  readonly request: PageRequest;
}

/** Why no page is listed: the insurer does not answer, or does not take the credentials of the submission's account. */
export type NoList = "unanswered" | "no_credentials";

/** That there is no page, or something else in its place. */
type Missing = NoList | "unusable";

type ReadAt = (position: Position | undefined) => Promise<FoundPage | Missing>;

/**
 * Reads what begins at any item: each page repeats the last item of the one before. When it is another item, the list
 * changed meanwhile, and an item may have been missed.
 */
async function overlapping(
  paging: Paging,
  listing: Listing,
  first: FoundPage,
  read: ReadAt,
): Promise<ReadItems> {
  const items = [...first.items];
  let page = first;
  for (;;) {
    if (reachesOlder(listing, items) && !lacksItems(paging, page, items))
      return { items, complete: true };
    // An insurer may give shorter pages than it is asked for: without a total, the end is a page with nothing new. The
    // first page has more than one item.
    const isLast = page.items.length <= 1;
    const total = listTotalOf(page);
    const isEnd = total === null ? isLast : items.length >= total;
    if (isEnd) return { items, complete: true };
    if (isLast) return { items, complete: false };
    const next = await read(Number(positionAfter(paging, page.request, page)) - 1);
    if (typeof next === "string") return { items, complete: false };
    if (!isSameItem(listing.endpoint, next.items[0], items.at(-1)))
      return { items, complete: false };
    items.push(...next.items.slice(1));
    page = next;
  }
}

/**
 * Reads whole pages that can only follow each other: by their number or a cursor. An item moves to a page that was read
 * before when an earlier one disappears, so every page but the last is read a second time at the end: what has the same
 * items before and after was not changed between.
 */
async function twice(
  paging: Paging,
  listing: Listing,
  first: FoundPage,
  read: ReadAt,
): Promise<ReadItems> {
  const pages = [first];
  const cursors = new Set<string>();
  const items = [...first.items];
  let page = first;
  for (;;) {
    const isFar = reachesOlder(listing, items) && !lacksItems(paging, page, items);
    const end = isFar ? "complete" : endOf(paging, page, items);
    if (end === "complete") return { items, complete: await isUnchanged(listing, pages, read) };
    const position = end === "incomplete" ? null : positionAfter(paging, page.request, page);
    if (position === null || cursors.has(String(position))) return { items, complete: false };
    cursors.add(String(position));
    const next = await read(position);
    if (typeof next === "string") return { items, complete: false };
    items.push(...next.items);
    // An item twice is a page twice, or a list that has changed.
    if (!areDistinct(listing.endpoint, items)) return { items, complete: false };
    pages.push(next);
    page = next;
  }
}

/**
 * Whether a page has the position that it was asked for, no more room than that, and a total that all items fit in. The
 * list may be counted from another number, or the page may be the answer to another request. Pages with less room are
 * usual: insurers have a maximum.
 * @param seen - how many items all pages have
 */
function isAsAsked({ size: { name } }: Paging, page: FoundPage, seen: number): boolean {
  const { items, request, size = request.size, total } = page;
  const hasRoom = name === undefined || (size >= 1 && size <= request.size);
  const isInTotal = total === null || total === items.length || total >= seen;
  return isRequestedPosition(page, request.position) && hasRoom && isInTotal;
}

/**
 * Whether a page has fewer items than it was asked for although the list has more by its total: either the insurer has
 * shorter pages, and the others follow, or the list begins before the position of the first page.
 */
function lacksItems(paging: Paging, page: FoundPage, all: readonly unknown[]): boolean {
  const total = listTotalOf(page) ?? 0;
  return hasNumberedPages(paging) && page.items.length < page.request.size && all.length < total;
}

/**
 * How many items the list has by the word of one page; null when the page does not say. A total that equals the page's
 * own items may count only these: it is believed where the page says that it could have had more, or is empty.
 */
function listTotalOf({ items, request, size, total }: FoundPage): number | null {
  const isShort = items.length < Math.min(size ?? 0, request.size);
  return total === items.length && items.length > 0 && !isShort ? null : total;
}

/** Whether a page is the end of the list; without a total, an insurer may give shorter pages than it is asked for. */
function endOf(
  paging: Paging,
  page: FoundPage,
  all: readonly unknown[],
): "complete" | "incomplete" | "goes on" {
  const { items, next, request, size = request.size } = page;
  const total = listTotalOf(page);
  if (total !== null && all.length >= total) return "complete";
  if (hasNumberedPages(paging)) {
    if (items.length > 0) return "goes on";
    return total === null ? "complete" : "incomplete";
  }
  if (next !== null) return "goes on";
  // A full page that names no next one: the insurer may only name it elsewhere than it did.
  return total === null && items.length < size ? "complete" : "incomplete";
}

/** Whether every page but the last has the items that it had. */
async function isUnchanged(
  { endpoint }: Listing,
  pages: readonly FoundPage[],
  read: ReadAt,
): Promise<boolean> {
  for (const { items, request } of pages.slice(0, -1)) {
    const again = await read(request.position);
    if (typeof again === "string" || again.items.length !== items.length) return false;
    if (!items.every((item, index) => isSameItem(endpoint, item, again.items[index]))) return false;
  }
  return true;
}

function isSameItem(endpoint: Endpoint, one: unknown, other: unknown): boolean {
  const insurerId = insurerIdOf(endpoint, one);
  return insurerId !== null && insurerId === insurerIdOf(endpoint, other);
}

function areDistinct(endpoint: Endpoint, items: readonly unknown[]): boolean {
  const insurerIds = items.map((item) => insurerIdOf(endpoint, item));
  return !insurerIds.includes(null) && new Set(insurerIds).size === items.length;
}

/** Whether the items, the newest first, go back to before the submission: what is older cannot be it. */
function reachesOlder({ days, endpoint, record }: Listing, items: readonly unknown[]): boolean {
  const instants = items.map((item) => creationInstants(endpoint, item, days));
  return (
    instants.some((each) => !canBeCreatedSince(each, record.receivedAt)) &&
    isNewestFirst(instants.map(([at = Number.NaN]) => at))
  );
}

/** A list in another order would hide newer items behind the first older one. Items of one instant show no order. */
function isNewestFirst(instants: readonly number[]): boolean {
  const [first = Number.NaN] = instants;
  return (
    first > (instants.at(-1) ?? first) &&
    instants.every((instant, index) => instant <= (instants[index - 1] ?? instant))
  );
}

async function readPage(
  { endpoint, upstream }: ProviderRoute,
  { record, stopping, values, way }: Listing,
  request: PageRequest,
  submissionId: string | null = null,
): Promise<FoundPage | Missing> {
  try {
    const { content, headers } = await upstream.call(endpoint, {
      input: reconciliationInput(endpoint, values, request),
      requestId: record.id,
      traceHeaders: {},
      account: record.account,
      waited: () => {},
      submissionId,
      callerGone: stopping,
      scenario: undefined,
      once: { probe: way.probe },
    });
    // The answer of a search has been checked against its declaration: it is JSON, read whole.
    const text = content as string;
    // Another reader would see another list.
    if (repeatsName(text)) return "unusable";
    const page = parsePage(pagingOf(endpoint), JSON.parse(text), headers);
    return page === null ? "unusable" : { ...page, request };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A fault of the adapter's is not the insurer's silence: asking again soon would change nothing.
    if (error.code === "INTERNAL_ERROR") throw error.cause ?? error;
    return missing(error);
  }
}

function missing(refusal: Refusal): Missing {
  const { attempt } = refusal.details;
  if (isOfCredentials(refusal)) return "no_credentials";
  return attempt === "answered" || attempt === "unusable" ? "unusable" : "unanswered";
}
