/** The query parameters that every search has beside its own, unless it declares another `paging`. */
export interface PageQuery {
  /** The 1-based position of the first item of the page; 1 when left out. */
  start?: number;
  /** The most items the page may have, 1 to 100; 20 when left out. */
  limit?: number;
}

/** One page of a search, newest item first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The 1-based position of the first item of this page. */
  readonly start: number;
  /** The most items this page could have had. */
  readonly limit: number;
  /** How many items there are in all, or null when the insurer does not tell. */
  readonly total: number | null;
}

/** What a search means when `start` or `limit` is left out; the gateway sends these, so that every insurer means the same. */
export const pageDefaults: Required<PageQuery> = { start: 1, limit: 20 };

/**
 * How a search is paged that is not paged by `start` and `limit`. Callers page it in the same way, with the same names.
 * A parameter is named as it is in the query, or by a JSON Pointer where it travels in the body of a POST: `/paging/page`.
 */
export interface Paging {
  /**
   * `start`: the number of the first item; `offset`: how many items are skipped; `page`: the number of the page;
   * `cursor`: what the page before names as the next; `link`: a `Link` header with `rel="next"` (RFC 8288), of whose
   * address callers get only the value of the position parameter, as a cursor in the header `next-cursor`.
   */
  readonly style: "start" | "offset" | "page" | "cursor" | "link";
  /** The parameter that says where a page begins. */
  readonly position: string;
  /** The number of the first item or page, for `start` and `page`: 1 when left out. */
  readonly from?: 0 | 1;
  readonly size: PageSize;
  /** Where the answer has its items, as a JSON Pointer; "" for an answer that is the list. */
  readonly items: string;
  /** Where it says how many there are in all: a JSON Pointer, or the name of a header in lower case. */
  readonly total?: AnswerPlace;
  /** Where it names the next page, for `cursor`: a JSON Pointer, or the name of a header in lower case. */
  readonly next?: AnswerPlace;
  /** Where it repeats the requested position, as a JSON Pointer: another position is another page. */
  readonly echo?: string;
}

/** How many items a page has. */
export interface PageSize {
  /** The parameter that says how many a page may have; left out where the insurer decides. */
  readonly name?: string;
  /** How many it may have when the caller does not say; the gateway sends it. */
  readonly usual: number;
  /** The most that may be requested; `usual` when left out. */
  readonly most?: number;
  /** Where the answer says how many it could have had, as a JSON Pointer. */
  readonly echo?: string;
}

/** A place of an answer: a JSON Pointer into its body, or the name of a header. */
export type AnswerPlace = string | { readonly header: string };

/** The paging of a search that declares no other. */
export const usualPaging: Paging = {
  style: "start",
  position: "start",
  from: 1,
  size: { name: "limit", usual: pageDefaults.limit, most: 100, echo: "/limit" },
  items: "/items",
  total: "/total",
  echo: "/start",
};
