import type { Verdict } from "@insurance-gateway/core/runtime";
import {
  absentAnswer,
  absentFrom,
  foundAnswer,
  isClosed,
  nextQueryAt,
  recheckAt,
  secondQueryAt,
} from "@insurance-gateway/core/runtime";
import type { Days } from "../accounts/usage/days.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { buildSettlement, type Conclusion } from "./build-settlement.ts";
import { pseudonymOf } from "./identity.ts";
import { decryptMatchFields } from "./match.ts";
import { correctFailed } from "./recorder.ts";
import type { SubmitParts } from "./submission.ts";

/** Function that returns the route of an endpoint by segment and name; undefined if the endpoint is not served. */
export type FindEndpoint = (segment: string, endpoint: string) => ProviderRoute | undefined;

/** Function that runs work with the current routes, which stay usable until the work ends. */
export type RunWithRoutes = <T>(
  work: (routes: readonly ProviderRoute[]) => Promise<T>,
) => Promise<T>;

/** The parts of the gateway that reconciliation needs. */
export interface ReconcileParts
  extends Pick<
    SubmitParts,
    "store" | "encryption" | "retention" | "basePath" | "clock" | "logger"
  > {
  readonly days: Pick<Days, "offsetAt">;
  readonly findEndpoint: FindEndpoint;
  /** Signal that aborts when the gateway stops, which cancels the queries in progress. */
  readonly stopping: AbortSignal;
}

/** Stores the result that a query proves, or plans the next query if the query proves nothing. */
export async function handleVerdict(
  parts: ReconcileParts,
  record: SubmissionRecord,
  route: ProviderRoute,
  found: Verdict,
): Promise<void> {
  if (record.state === "failed") await handleLastQuery(parts, record, route, found);
  else if (found.verdict === "unclear") await planNextQuery(parts, record);
  else if (found.verdict === "absent") await recordAbsence(parts, record, route);
  else await settleByQuery(parts, record, conclusionOfFound(parts, route, record, found));
}

/** Ends the queries of a submission for which no query can be sent. An open submission then needs review. */
export async function endQueries(parts: ReconcileParts, record: SubmissionRecord): Promise<void> {
  if (record.state === "failed") await parts.store.endRecheck(record);
  else await requireReview(parts, record);
}

async function settleByQuery(
  parts: ReconcileParts,
  record: SubmissionRecord,
  conclusion: Conclusion,
): Promise<void> {
  const { clock, logger, store } = parts;
  const settlement = buildSettlement(parts, record.id, clock.now(), conclusion);
  const settled = await store.settleByQuery(settlement, record.fence);
  if (settled !== "settled") return planNextQuery(parts, record);
  logger.info(
    { submissionId: record.id, caller: pseudonymOf(record.caller), state: conclusion.state },
    "reconciliation concluded a submission",
  );
}

/** Handles a query that did not find the submission. After a second such query, the submission has failed. */
async function recordAbsence(
  parts: ReconcileParts,
  record: SubmissionRecord,
  { endpoint, unique }: ProviderRoute,
): Promise<void> {
  const { clock, encryption, store } = parts;
  const { id, keyId, matchFields, receivedRunning: received } = record;
  const moment = clock.now();
  const unknown = record.unknownRunning ?? received;
  const absent = record.absentRunning ?? moment.running;
  if (moment.running < absentFrom({ absent, received })) {
    const next = secondQueryAt({ absent, received, unknown });
    return store.planNextQuery(record, moment, next, absent);
  }
  const lastQuery =
    matchFields === null || keyId === null
      ? {}
      : {
          recheck: {
            at: recheckAt(unknown, moment.running),
            matchFields: decryptMatchFields(encryption, id, matchFields, keyId),
          },
        };
  await settleByQuery(parts, record, {
    state: "failed",
    insurerId: null,
    unique,
    answer: absentAnswer(endpoint, record),
    ...lastQuery,
  });
}

/**
 * Handles the last query for a submission that failed because queries did not find it: corrects the failure, or ends
 * the queries.
 */
async function handleLastQuery(
  parts: ReconcileParts,
  record: SubmissionRecord,
  route: ProviderRoute,
  found: Verdict,
): Promise<void> {
  const { clock, logger, store } = parts;
  if (found.verdict === "carried_out") {
    const conclusion = conclusionOfFound(parts, route, record, found);
    const moment = clock.now();
    const settlement = buildSettlement(parts, record.id, moment, conclusion);
    const reason = "the insurer's list has it, later than it was settled";
    if (await correctFailed(store, record, settlement, moment, reason)) {
      logger.error(
        { submissionId: record.id, caller: pseudonymOf(record.caller), state: conclusion.state },
        "the insurer executed a submission that was concluded as failed",
      );
      return;
    }
  }
  await store.endRecheck(record);
}

/** Plans the next query. If no planned query is left, the submission needs review. */
async function planNextQuery(parts: ReconcileParts, record: SubmissionRecord): Promise<void> {
  const moment = parts.clock.now();
  const next = nextQueryAt(record.unknownRunning ?? record.receivedRunning, moment.running);
  if (next === null) await requireReview(parts, record);
  else await parts.store.planNextQuery(record, moment, next);
}

async function requireReview(
  { clock, logger, store }: ReconcileParts,
  record: SubmissionRecord,
): Promise<void> {
  await store.planNextQuery(record, clock.now(), null);
  logger.error(
    { submissionId: record.id, caller: pseudonymOf(record.caller) },
    "a submission needs manual review",
  );
}

/** Returns the result of a found submission, with the answer for later requests with the submission's key. */
function conclusionOfFound(
  { basePath }: ReconcileParts,
  { endpoint, unique }: ProviderRoute,
  { id }: SubmissionRecord,
  { insurerId, item }: Extract<Verdict, { readonly verdict: "carried_out" }>,
): Conclusion {
  const answer = foundAnswer(endpoint, { id, insurerId, item }, basePath);
  return { state: "succeeded", insurerId, unique, closed: isClosed(endpoint, item), answer };
}
