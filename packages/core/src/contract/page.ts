/** The paging parameters of every search that declares no other `paging`. */
export interface PageQuery {
  /** The 1-based position of the first item of the page. Default: 1. */
  start?: number;
  /** Maximum of items on the page, 1 to 100. Default: 20. */
  limit?: number;
}

/** One page of a search, newest item first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The 1-based position of the first item of this page. */
  readonly start: number;
  /** Maximum of items on this page. */
  readonly limit: number;
  /** The number of items on all pages; null if unknown. */
  readonly total: number | null;
}

/** The defaults of `start` and `limit`. The gateway always sends both, so that no insurer applies its own defaults. */
export const pageDefaults: Required<PageQuery> = { start: 1, limit: 20 };

/**
 * The paging of a search that does not use `start` and `limit`. Clients use the insurer's paging with the insurer's
 * names. A parameter is the name of a query parameter, or a JSON Pointer into the body of a POST: `/paging/page`.
 */
export interface Paging {
  /**
   * `start`: the number of the first item; `offset`: the number of skipped items; `page`: the number of the page;
   * `cursor`: a value that the previous page returns; `link`: a `Link` header with `rel="next"` (RFC 8288). Clients
   * receive only the position parameter of that link, as a cursor in the header `next-cursor`.
   */
  readonly style: "start" | "offset" | "page" | "cursor" | "link";
  /** The parameter for the position of a page. */
  readonly position: string;
  /** The number of the first item or page, for `start` and `page`. Default: 1. */
  readonly from?: 0 | 1;
  readonly size: PageSize;
  /** The JSON Pointer of the items; "" if the whole answer is the list. */
  readonly items: string;
  /** The total number of items: a JSON Pointer, or the lower-case name of a header. */
  readonly total?: AnswerPlace;
  /** The cursor of the next page, for `cursor`: a JSON Pointer, or the lower-case name of a header. */
  readonly next?: AnswerPlace;
  /** The JSON Pointer of the position in the answer, which must be the requested position. */
  readonly echo?: string;
}

/** The size of a page: its parameter, default and maximum. */
export interface PageSize {
  /** The parameter for the page size; omit it if the insurer decides the size. */
  readonly name?: string;
  /** The default page size, which the gateway sends if the client sends none. */
  readonly usual: number;
  /** The maximum page size. Default: `usual`. */
  readonly most?: number;
  /** The JSON Pointer of the page size in the answer. */
  readonly echo?: string;
}

/** The place of a value in an answer: a JSON Pointer into its body, or the name of a header. */
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
