import type { Endpoint } from "../contract/endpoint.ts";
import type { Page } from "../contract/page.ts";
import {
  firstStep,
  isRequestedPage,
  type PageAnswer,
  type Position,
  pagingOf,
  parsePage,
  requestedPage,
  stepAfter,
  withPosition,
} from "../contract/paging.ts";
import { invalidAnswerError, readAnswer } from "./answer.ts";
import { asCall, type Call, type WithResponse } from "./call.ts";
import type { ReportFailure } from "./hooks.ts";
import type { KindCode, SendAndRead } from "./kind-code.ts";
import type { CallInput } from "./request.ts";

/** A running search. Await it to get the first page, or iterate over it to get the items of every page. */
export interface SearchCall<Item, Whole = Page<Item>> extends Call<Whole>, AsyncIterable<Item> {
  /** Returns an iterable of the pages. */
  pages(): AsyncIterable<Whole>;
}

/** Makes the call of a search. `stepAfter` decides whether another page follows. */
function callSearch(
  endpoint: Endpoint,
  input: CallInput,
  run: SendAndRead,
  report: ReportFailure,
): SearchCall<unknown, unknown> {
  const paging = pagingOf(endpoint);
  const begin = requestedPage(paging, input);
  const fetchAt = (position: Position | undefined): Promise<WithResponse<unknown>> =>
    run(withPosition(paging, input, position), (response) => readAnswer(endpoint, response));
  const first = fetchAt(begin.position);

  async function* pages(): AsyncGenerator<{ readonly data: unknown; readonly page: PageAnswer }> {
    let step = firstStep(paging, begin);
    let { data, response } = await first;
    for (;;) {
      const page = parsePage(paging, data, response.headers);
      // Without this check, an insurer that ignores the requested position would cause an endless loop.
      if (page === null || !isRequestedPage(step, page))
        throw report(
          invalidAnswerError(endpoint, response, [], "The answer is not the requested page."),
        );
      yield { data, page };
      const next = stepAfter(paging, step, page);
      if (next === "last") return;
      if (next === "endless")
        throw report(
          invalidAnswerError(
            endpoint,
            response,
            [],
            "The answer names a next page that was read before.",
          ),
        );
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

/** Client code that every search endpoint carries. */
export const searchCode: KindCode = { call: callSearch };
