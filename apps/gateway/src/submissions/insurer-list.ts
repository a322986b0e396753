import type { Endpoint, Paging } from "@insurance-gateway/core/contract";
import {
  canBeCreatedSince,
  creationInstants,
  firstPosition,
  hasNumberedPages,
  insurerIdOf,
  isRequestedPosition,
  type Position,
  pagingOf,
  positionAfter,
} from "@insurance-gateway/core/runtime";
import type { ProviderRoute } from "../routing/route.ts";
import {
  type FoundPage,
  type ListQuery,
  type NoListReason,
  type NoPageReason,
  readPage,
} from "./list-page.ts";

/** The items of the insurer's list, and the facts that show what the items can prove. */
export interface InsurerList {
  readonly items: readonly unknown[];
  /** True if the list has every item that the insurer may have created for the submission. */
  readonly complete: boolean;
  /** True if no page contradicts its request. If false, items may be missing, and only a found item is a proof. */
  readonly pagesFitRequests: boolean;
}

/** The items of a list, before the pages are compared with their requests. */
type ReadItems = Omit<InsurerList, "pagesFitRequests">;

/** Maximum of items that the gateway requests in a page. */
const MAX_ITEMS_PER_PAGE = 100;
/**
 * Maximum of pages that one query reads. If the list has more items that are newer than the submission, an operator
 * must resolve the submission.
 */
const MAX_PAGES = 10;

/**
 * Reads the insurer's list from the newest item to the first item that is older than the submission. `readOverlapping`
 * and `readTwice` make sure that no item is missed while the list changes.
 * @returns the list, or the reason why the insurer did not answer the request for the first page
 */
export async function readInsurerList(
  search: ProviderRoute,
  listing: ListQuery,
): Promise<InsurerList | NoListReason> {
  const paging = pagingOf(search.endpoint);
  const { name, usual, most = usual } = paging.size;
  const size = name === undefined ? usual : Math.min(MAX_ITEMS_PER_PAGE, most);
  const pages: FoundPage[] = [];
  let pagesLeft = MAX_PAGES;
  const read = async (position: Position | undefined): Promise<FoundPage | NoPageReason> => {
    if (pagesLeft === 0) return "unusable";
    pagesLeft -= 1;
    await listing.options.waitForTurn();
    const page = await readPage(search, listing, { position, size });
    if (typeof page !== "string") pages.push(page);
    return page;
  };
  const first = await read(firstPosition(paging));
  if (first === "unanswered" || first === "no_credentials") return first;
  if (first === "unusable") return { items: [], complete: false, pagesFitRequests: false };
  const canBeginAnywhere = paging.style === "start" || paging.style === "offset";
  // Overlapping pages need several items each: a page repeats the previous page's last item before its new items.
  const listed = await (canBeginAnywhere && first.items.length > 1
    ? readOverlapping(paging, listing, first, read)
    : readTwice(paging, listing, first, read));
  const pagesFitRequests = pages.every((page) =>
    pageFitsRequest(paging, page, listed.items.length),
  );
  return { ...listed, pagesFitRequests };
}

type ReadPageAt = (position: Position | undefined) => Promise<FoundPage | NoPageReason>;

/**
 * Reads pages that can begin at any item. Each page begins with the last item of the previous page. If a page begins
 * with another item, the list has changed since the previous page, and the gateway may have missed an item.
 */
async function readOverlapping(
  paging: Paging,
  listing: ListQuery,
  first: FoundPage,
  read: ReadPageAt,
): Promise<ReadItems> {
  const items = [...first.items];
  let page = first;
  for (;;) {
    if (reachOlderItem(listing, items) && !isShorterThanList(paging, page, items))
      return { items, complete: true };
    // An insurer may return shorter pages than requested. If no total is stated, a page without a new item, which is
    // never the first page, is the end of the list.
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
 * Reads pages by number or cursor. If the insurer deletes an item during the reading, another item moves to a
 * page that was already read. So every page except the last is read again at the end: a page with the same items in
 * both readings did not change.
 */
async function readTwice(
  paging: Paging,
  listing: ListQuery,
  first: FoundPage,
  read: ReadPageAt,
): Promise<ReadItems> {
  const pages = [first];
  const cursors = new Set<string>();
  const items = [...first.items];
  let page = first;
  for (;;) {
    const isPastSubmission =
      reachOlderItem(listing, items) && !isShorterThanList(paging, page, items);
    const end = isPastSubmission ? "complete" : listProgress(paging, page, items);
    if (end === "complete")
      return { items, complete: await arePagesUnchanged(listing, pages, read) };
    const position = end === "incomplete" ? null : positionAfter(paging, page.request, page);
    if (position === null || cursors.has(String(position))) return { items, complete: false };
    cursors.add(String(position));
    const next = await read(position);
    if (typeof next === "string") return { items, complete: false };
    items.push(...next.items);
    // A repeated item means that the insurer repeated a page, or that the list has changed between two pages.
    if (!areDistinctItems(listing.endpoint, items)) return { items, complete: false };
    pages.push(next);
    page = next;
  }
}

/**
 * Reports whether a page states the requested position, a size up to the requested size, and a total of at least all
 * items or of exactly this page's items. If not, the insurer may count the list differently, or the page may answer
 * another request. A smaller size is usual, because insurers have a maximum.
 * @param seen - number of items on all pages so far
 */
function pageFitsRequest({ size: { name } }: Paging, page: FoundPage, seen: number): boolean {
  const { items, request, size = request.size, total } = page;
  const hasRoom = name === undefined || (size >= 1 && size <= request.size);
  const isInTotal = total === null || total === items.length || total >= seen;
  return isRequestedPosition(page, request.position) && hasRoom && isInTotal;
}

/**
 * Reports whether a page has fewer items than requested although the list's total shows more items. In this case,
 * the insurer has shorter pages, or the list began before the position of the first page.
 */
function isShorterThanList(paging: Paging, page: FoundPage, all: readonly unknown[]): boolean {
  const total = listTotalOf(page) ?? 0;
  return hasNumberedPages(paging) && page.items.length < page.request.size && all.length < total;
}

/**
 * Returns the number of all items of the list; null if the page does not state this number. A total that equals the
 * number of the page's items may count only these items. Such a total is used only if the page had room for more or is
 * empty.
 */
function listTotalOf({ items, request, size, total }: FoundPage): number | null {
  const isShort = items.length < Math.min(size ?? 0, request.size);
  return total === items.length && items.length > 0 && !isShort ? null : total;
}

/** Returns whether a page ends the list. If no total is stated, a short page is not always the last page. */
function listProgress(
  paging: Paging,
  page: FoundPage,
  all: readonly unknown[],
): "complete" | "incomplete" | "continues" {
  const { items, next, request, size = request.size } = page;
  const total = listTotalOf(page);
  if (total !== null && all.length >= total) return "complete";
  if (hasNumberedPages(paging)) {
    if (items.length > 0) return "continues";
    return total === null ? "complete" : "incomplete";
  }
  if (next !== null) return "continues";
  // A full page that names no next page may not be the last: the insurer may name the next page in an undeclared field.
  return total === null && items.length < size ? "complete" : "incomplete";
}

/** Reads every page except the last again, and reports whether all pages have the same items as before. */
async function arePagesUnchanged(
  { endpoint }: ListQuery,
  pages: readonly FoundPage[],
  read: ReadPageAt,
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

function areDistinctItems(endpoint: Endpoint, items: readonly unknown[]): boolean {
  const insurerIds = items.map((item) => insurerIdOf(endpoint, item));
  return !insurerIds.includes(null) && new Set(insurerIds).size === items.length;
}

/** Reports whether one of the items is older than the submission. The items must be sorted, newest first. */
function reachOlderItem({ days, endpoint, record }: ListQuery, items: readonly unknown[]): boolean {
  const instants = items.map((item) => creationInstants(endpoint, item, days));
  return (
    instants.some((each) => !canBeCreatedSince(each, record.receivedAt)) &&
    isNewestFirst(instants.map(([at = Number.NaN]) => at))
  );
}

/** Reports whether items are sorted, newest first, so that no old item hides a new item. Equal times prove nothing. */
function isNewestFirst(instants: readonly number[]): boolean {
  const [first = Number.NaN] = instants;
  return (
    first > (instants.at(-1) ?? first) &&
    instants.every((instant, index) => instant <= (instants[index - 1] ?? instant))
  );
}
