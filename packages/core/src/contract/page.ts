/** The query parameters that every search has beside its own. */
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
