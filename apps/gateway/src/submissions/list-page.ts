import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  firstPosition,
  isOfCredentials,
  type PageAnswer,
  type PageRequest,
  pagingOf,
  parsePage,
  type QueryValues,
  Refusal,
  reconciliationInput,
} from "@insurance-gateway/core/runtime";
import type { CancellationSignal } from "@insurance-gateway/core/transport";
import type { Days } from "../accounts/usage/days.ts";
import { repeatsName } from "../json.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";

/** Options for the sending of one query. */
export interface QueryOptions {
  /** Resolves when the rate limit allows the next request to the insurer. Each page is one request. */
  readonly waitForTurn: () => Promise<void>;
  /** True to send the query even if the insurer's circuit breaker is open, to find out whether the insurer answers. */
  readonly probe: boolean;
}

/** A query of the insurer's list for one submission. */
export interface ListQuery {
  readonly endpoint: Endpoint;
  /** The operator's time zone, for times without an offset. */
  readonly days: Pick<Days, "offsetAt">;
  readonly record: SubmissionRecord;
  /** The values to search for, by the names in `reconcile.parameters`. */
  readonly values: QueryValues;
  readonly options: QueryOptions;
  /** Cancels the query. */
  readonly stopping: CancellationSignal;
}

/** A page of the insurer's list, with the request for the page. */
export interface FoundPage extends PageAnswer {
  readonly request: PageRequest;
}

/** Reason for a missing list: the insurer did not answer, or refused the credentials of the submission's account. */
export type NoListReason = "unanswered" | "no_credentials";

/** Reason for a missing page; `unusable` if the answer is not a list. */
export type NoPageReason = NoListReason | "unusable";

/**
 * Queries the insurer by the submission's reference, if the insurer supports queries by reference.
 * @returns the item; null if the insurer returned none or several; the reason if the insurer did not answer
 */
export async function findByReference(
  search: ProviderRoute,
  listing: ListQuery,
): Promise<{ readonly item: unknown } | NoListReason | null> {
  if (!search.upstream.findsByReference(search.endpoint)) return null;
  await listing.options.waitForTurn();
  const position = firstPosition(pagingOf(search.endpoint));
  const page = await readPage(search, listing, { position, size: 1 }, listing.record.id);
  if (page === "unanswered" || page === "no_credentials") return page;
  if (page === "unusable" || page.items.length !== 1) return null;
  return { item: page.items[0] };
}

/** Requests one page of the insurer's list, or the item of a submission's reference. */
export async function readPage(
  { endpoint, upstream }: ProviderRoute,
  { record, stopping, values, options }: ListQuery,
  request: PageRequest,
  submissionId: string | null = null,
): Promise<FoundPage | NoPageReason> {
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
      once: { probe: options.probe },
    });
    // The adapter has read the whole answer, and has checked that the answer is the declared JSON.
    const text = content as string;
    // A text with repeated names could be a different list for a different JSON parser.
    if (repeatsName(text)) return "unusable";
    const page = parsePage(pagingOf(endpoint), JSON.parse(text), headers);
    return page === null ? "unusable" : { ...page, request };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A fault of the adapter is permanent, so the fault must not count as an insurer that does not answer.
    if (error.code === "INTERNAL_ERROR") throw error.cause ?? error;
    return noPageReason(error);
  }
}

function noPageReason(refusal: Refusal): NoPageReason {
  const { attempt } = refusal.details;
  if (isOfCredentials(refusal)) return "no_credentials";
  return attempt === "answered" || attempt === "unusable" ? "unusable" : "unanswered";
}
