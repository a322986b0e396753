import {
  type Endpoint,
  type PageQuery,
  pageDefaults,
  valueAt,
} from "@insurance-gateway/core/contract";
import { countIn, withValueAt } from "@insurance-gateway/core/runtime";
import {
  type AdapterAnswer,
  type InsurerResponse,
  unmappableAnswer,
  unreadableAnswer,
} from "./adapter.ts";
import type { CallSource, DialectCall, PageMapping, RequestResult } from "./answer-mapping.ts";
import { readMapped } from "./mapping.ts";

/** Sends one request for a list, and reads the answer. */
type SendListRequest = (source: CallSource) => Promise<RequestResult>;

/** Minimum page size of an insurer. Three smaller pages may not contain the gateway's largest page (100 items). */
const MIN_PAGE_ITEMS = 50;

/** Returns the fault of an endpoint's `pages`, or null if `pages` matches the declared paging. */
export function pagesFault(
  { kind, paging }: Endpoint,
  pages: PageMapping | undefined,
): string | null {
  if (pages === undefined || kind !== "search") return null;
  if (paging !== undefined)
    return "`pages` must be on a search by `start` and `limit`; for a search with `paging`, map the insurer's page with `value`";
  if (pages.whole !== undefined)
    return "`pages.whole` must be on an endpoint that is not a search, because a search has pages";
  return pages.most < MIN_PAGE_ITEMS
    ? `\`pages.most\` must be ${MIN_PAGE_ITEMS} or more, so that three requests are enough for one page`
    : null;
}

/** Collects one page of the gateway from at most three pages of the insurer. */
export async function collectPage(
  call: DialectCall,
  rows: PageMapping,
  ask: SendListRequest,
): Promise<AdapterAnswer> {
  const { limit, start }: Required<PageQuery> = { ...pageDefaults, ...call.source.query };
  const window = { start, limit };
  const size = Math.min(window.limit, rows.most);
  // An insurer with numbered pages returns only whole pages, so the first items may be before the gateway's page.
  const skipped = rows.style === "offset" ? 0 : (window.start - 1) % size;
  const first = window.start - 1 - skipped;
  const collected = await collectItems(call, rows, ask, {
    first,
    size,
    wanted: skipped + window.limit,
  });
  if ("ended" in collected) return collected.ended;
  const { items, response, total } = collected;
  return {
    type: "value",
    status: call.rows.status ?? response.status,
    value: { items: items.slice(skipped, skipped + window.limit), ...window, total },
  };
}

/** Collects a complete list from the insurer's pages. */
export async function collectList(
  call: DialectCall,
  rows: PageMapping,
  ask: SendListRequest,
): Promise<AdapterAnswer> {
  const { at = "/items", queries = 1 } = rows.whole ?? {};
  const wanted = queries * rows.most;
  const collected = await collectItems(call, rows, ask, { first: 0, size: rows.most, wanted });
  if ("ended" in collected) return collected.ended;
  const { isWhole, items, response, tags } = collected;
  if (!isWhole)
    return unreadableAnswer(response.status, `The insurer's list is longer than ${wanted} items.`);
  return {
    type: "value",
    status: call.rows.status ?? response.status,
    value: withValueAt({}, at, items),
    headers: { etag: tags },
  };
}

interface ItemsToCollect {
  /**
   * The number of items before the insurer's first requested page; a multiple of the page size if pages have numbers.
   */
  readonly first: number;
  readonly size: number;
  /** The number of items to collect, counted from the beginning of the first page. */
  readonly wanted: number;
}

interface CollectedItems {
  readonly items: readonly unknown[];
  readonly total: number | null;
  /** True if the list has no further items. */
  readonly isWhole: boolean;
  readonly response: InsurerResponse;
  /** The combined ETags of all pages; "" if a page has no ETag. */
  readonly tags: string;
}

async function collectItems(
  call: DialectCall,
  rows: PageMapping,
  ask: SendListRequest,
  { first, size, wanted }: ItemsToCollect,
): Promise<CollectedItems | { readonly ended: AdapterAnswer }> {
  const items: unknown[] = [];
  const tags: string[] = [];
  let total: number | null = null;
  for (;;) {
    const before = first + items.length;
    const position = rows.from + (rows.style === "page" ? before / size : before);
    const reply = await ask({ ...call.source, page: { position, size } });
    if ("ended" in reply) return reply;
    const { content, response } = reply;
    const page = readPage(call, rows, content, response);
    if ("ended" in page) return page;
    // The list has changed between two requests, so an item may have moved to an earlier page.
    if (items.length > 0 && page.total !== total)
      return {
        ended: unreadableAnswer(response.status, "The insurer's list changed while it was read."),
      };
    total = page.total;
    items.push(...page.items);
    tags.push(/^(?:W\/)?"([^"]*)"$/.exec(response.headers.etag ?? "")?.[1] ?? "");
    const isShort = page.items.length < size;
    // If the total equals the number of items of a full first page, the insurer may have counted only this page. The
    // next page shows whether the total counts the whole list.
    const isOfPage =
      before === 0 && items.length < wanted && !isShort && page.total === page.items.length;
    const isEnd = page.total === null ? isShort : !isOfPage && first + items.length >= page.total;
    const isTooMany =
      page.total !== null && page.items.length > 0 && before + page.items.length > page.total;
    // The list would be wrong: a page has a gap, the total is invalid, or the insurer ignores the requested size.
    if (page.items.length > size || (isShort && !isEnd) || isTooMany)
      return {
        ended: unreadableAnswer(
          response.status,
          "The insurer's page does not have the requested size.",
        ),
      };
    if (isEnd || items.length >= wanted) {
      const etag = tags.every((tag) => tag !== "") ? `"${tags.join(".")}"` : "";
      return { items, total: page.total, isWhole: isEnd, response, tags: etag };
    }
  }
}

function readPage(
  { form, rows: { finish } }: DialectCall,
  { each, items, total }: PageMapping,
  content: unknown,
  { status }: InsurerResponse,
):
  | { readonly items: readonly unknown[]; readonly total: number | null }
  | { readonly ended: AdapterAnswer } {
  const mapped = readMapped([{ list: ["", items], each }], content, form);
  if (!mapped.fits) return { ended: unmappableAnswer(status, mapped) };
  // The list row of the mapping has created a list.
  const values = mapped.value as readonly unknown[];
  const theirs = valueAt(content, items);
  const finished = values.map((value, index) =>
    finish === undefined ? value : finish(value, Array.isArray(theirs) ? theirs[index] : theirs),
  );
  const count = total === undefined ? null : countIn(valueAt(content, total));
  const isUncounted = total !== undefined && count === null;
  if (isUncounted || finished.includes(undefined))
    return {
      ended: unreadableAnswer(status, "The insurer's page does not have the expected form."),
    };
  return { items: finished, total: count };
}
