import type { Page, PageQuery } from "../contract/page.ts";
import type { ResponseHead } from "./answer.ts";
import { asCall, type Call, type WithResponse } from "./call.ts";

/** A search under way: await it for the first page, or iterate it for the items of every page. */
export interface SearchCall<Item> extends Call<Page<Item>>, AsyncIterable<Item> {
  /** Every page, one after the other. */
  pages(): AsyncIterable<Page<Item>>;
}

/** Fetches the page that begins at a position. */
export type FetchPage<Item> = (start: number) => Promise<WithResponse<Page<Item>>>;

/**
 * Makes a search of a way to fetch pages. Paging ends at the total, or, where the insurer tells none, at a page
 * that is not full.
 * @param mismatch - makes the error for an insurer that answers with another page than was asked for
 */
export function asSearch<Item>(
  query: PageQuery,
  fetchPage: FetchPage<Item>,
  mismatch: (head: ResponseHead) => Error,
): SearchCall<Item> {
  const begin = query.start ?? 1;
  const first = fetchPage(begin);

  async function* pages(): AsyncGenerator<Page<Item>> {
    let start = begin;
    let { data, response } = await first;
    for (;;) {
      // An insurer that ignores `start` would be asked for its first page for ever.
      if (data.start !== start) throw mismatch(response);
      yield data;
      start += data.items.length;
      const complete = data.total === null ? data.items.length < data.limit : start > data.total;
      if (complete || data.items.length === 0) return;
      ({ data, response } = await fetchPage(start));
    }
  }

  return Object.assign(asCall(first), {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  });
}
