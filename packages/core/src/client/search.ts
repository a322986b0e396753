import type { Page, Paging } from "../contract/page.ts";
import {
  firstStep,
  isPageOf,
  type PageAnswer,
  type Position,
  pageAsked,
  pageIn,
  type SearchInput,
  stepAfter,
  withPosition,
} from "../contract/paging.ts";
import type { ResponseHead } from "./answer.ts";
import { asCall, type Call, type WithResponse } from "./call.ts";

/** A running search. Await it to get the first page, or iterate over it to get the items of every page. */
export interface SearchCall<Item, Whole = Page<Item>> extends Call<Whole>, AsyncIterable<Item> {
  /** Iterates over the pages. */
  pages(): AsyncIterable<Whole>;
}

/** The functions that fetch the pages of one search. */
export interface SearchParts<Input extends SearchInput> {
  readonly paging: Paging;
  readonly input: Input;
  readonly fetchPage: (input: Input) => Promise<WithResponse<unknown>>;
  /** Creates the error for a page that was not requested, or for pages that never end. */
  readonly mismatch: (head: ResponseHead, message: string) => Error;
}

/** Creates a search from functions that fetch pages. `stepAfter` decides where paging ends. */
export function asSearch<Input extends SearchInput>({
  fetchPage,
  input,
  mismatch,
  paging,
}: SearchParts<Input>): SearchCall<unknown, unknown> {
  const begin = pageAsked(paging, input);
  const fetchAt = (position: Position | undefined): Promise<WithResponse<unknown>> =>
    fetchPage(withPosition(paging, input, position));
  const first = fetchAt(begin.position);

  async function* pages(): AsyncGenerator<{ readonly data: unknown; readonly page: PageAnswer }> {
    let step = firstStep(paging, begin);
    let { data, response } = await first;
    for (;;) {
      const page = pageIn(paging, data, response.headers);
      // Without this check, an insurer that ignores the position would cause an endless loop.
      if (page === null || !isPageOf(step, page))
        throw mismatch(response, "The answer is not the requested page.");
      yield { data, page };
      const next = stepAfter(paging, step, page);
      if (next === "last") return;
      if (next === "endless")
        throw mismatch(response, "The answer names a next page that was read before.");
      step = next;
      ({ data, response } = await fetchAt(step.request.position));
    }
  }

  return Object.assign(asCall(first), {
    async *pages() {
      for await (const { data } of pages()) yield data;
    },
    async *[Symbol.asyncIterator]() {
      for await (const { page } of pages()) yield* page.items;
    },
  });
}
