import {
  answersOf,
  check,
  type Endpoint,
  isClosed,
  jsonAnswerOf,
} from "@insurance-gateway/core/contract";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { StoreUnavailableError } from "../store/store.ts";
import { insurerIdOf } from "../upstream/binding.ts";
import { carriedOutUnseen, notTaken, submissionAddress } from "./answers.ts";
import { type Ending, settlementOf } from "./ending.ts";
import { pseudonymOf } from "./identity.ts";
import { findByReference, listItems, type NoList, type QueryWay } from "./insurer-list.ts";
import { decryptMatchFields, type MatchFields } from "./match.ts";
import { nextQueryAt } from "./query-times.ts";
import { problemAnswer, successAnswer } from "./stored-answer.ts";
import type { SubmitParts } from "./submit.ts";
import { type Verdict, type VerdictFacts, verdictOf } from "./verdict.ts";

/** Finds the route of an endpoint by segment and name; undefined when it is not served any more. */
export type FindEndpoint = (segment: string, endpoint: string) => ProviderRoute | undefined;

/** What reconciliation works with. */
export interface ReconcileParts
  extends Pick<
    SubmitParts,
    "store" | "encryption" | "retention" | "basePath" | "clock" | "logger"
  > {
  readonly findEndpoint: FindEndpoint;
  /** Gives queries up when the gateway stops. */
  readonly stopping: AbortSignal;
}

/**
 * Asks the insurer what became of one submission, and writes what the answer proves. It never sends the submission
 * again.
 * @returns whether the insurer answered at all, and why not
 */
export type Reconcile = (record: SubmissionRecord, way: QueryWay) => Promise<"answered" | NoList>;

/** Makes the reconciliation of submissions with the insurers' own lists. */
export function createReconcile(parts: ReconcileParts): Reconcile {
  const { clock, findEndpoint, logger, stopping, store } = parts;
  return async (record, way) => {
    const before = clock.now();
    const endpoint = findEndpoint(record.segment, record.endpoint)?.endpoint;
    const found = await queryOrFail(parts, record, endpoint, way);
    // A query that the end of the process cut off proves nothing.
    if (stopping.aborted) return "answered";
    if (found === "unanswered" || found === "no_credentials") {
      const { running } = clock.now();
      await store.delay(record, running, running + ASK_LATER_MS);
      return found;
    }
    if (endpoint === undefined || found === "impossible" || found.verdict === "unclear") {
      await postpone(parts, record, found !== "impossible");
      return "answered";
    }
    const ending = endingOf(parts, endpoint, record, found);
    const settled = await store.settleByQuery(
      settlementOf(parts, record.id, before, ending),
      record.fence,
    );
    if (settled === "settled")
      logger.info(
        { submissionId: record.id, caller: pseudonymOf(record.caller), state: ending.state },
        "reconciliation settled a submission",
      );
    else await postpone(parts, record, true);
    return "answered";
  };
}

/** Plans the next query; where none is possible or left, a person must look. */
async function postpone(
  { clock, logger, store }: ReconcileParts,
  record: SubmissionRecord,
  isPossible: boolean,
): Promise<void> {
  const moment = clock.now();
  const since = record.unknownRunning ?? record.receivedRunning;
  const next = isPossible ? nextQueryAt(since, moment.running) : null;
  await store.postpone(record, moment, next);
  if (next === null)
    logger.error(
      { submissionId: record.id, caller: pseudonymOf(record.caller) },
      "a submission needs manual review",
    );
}

/** A submission whose query the insurer does not answer lets the others go first, for so long, in milliseconds. */
const ASK_LATER_MS = 10_000;

/** The result of a query: a verdict; no answer of the insurer; or that the submission has no query. */
type Found = Verdict | NoList | "impossible";

/** A query that fails by a fault of the gateway's own proves nothing. */
async function queryOrFail(
  parts: ReconcileParts,
  record: SubmissionRecord,
  endpoint: Endpoint | undefined,
  way: QueryWay,
): Promise<Found> {
  try {
    return endpoint === undefined ? "impossible" : await query(parts, record, endpoint, way);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    const failure = error instanceof Error ? error.constructor.name : typeof error;
    parts.logger.error(
      { submissionId: record.id, caller: pseudonymOf(record.caller), failure },
      "a reconciliation query failed",
    );
    return { verdict: "unclear" };
  }
}

async function query(
  parts: ReconcileParts,
  record: SubmissionRecord,
  endpoint: Endpoint,
  way: QueryWay,
): Promise<Found> {
  const { clock, encryption, findEndpoint, stopping } = parts;
  const search = findEndpoint(record.segment, endpoint.reconcile?.endpoint ?? "");
  // A package of another version may declare a query for a change. A list does not prove what changed an item.
  if (!record.creates) return "impossible";
  if (search === undefined || record.matchFields === null || record.keyId === null)
    return "impossible";
  const fields = decryptMatchFields(encryption, record.id, record.matchFields, record.keyId);
  // It was claimed when its endpoint had no query.
  if (fields.query === undefined) return "impossible";
  const { running } = clock.now();
  const listing = { endpoint, record, values: fields.query, way, stopping };
  const referred = await findByReference(search, listing);
  if (typeof referred === "string") return referred;
  if (referred !== null) {
    const facts = await factsOf(parts, record, endpoint, fields, [referred.item]);
    // Nobody else's reference finds it, however many submissions are alike. That it is not found proves nothing.
    const found = verdictOf(endpoint, [referred.item], {
      ...facts,
      complete: true,
      openAlike: 0,
      inFlightAlike: 0,
      olderAlike: 0,
      unnamedAlike: 0,
      settled: false,
    });
    if (found.verdict === "carried_out") return found;
  }
  const passedMs = running - (record.unknownRunning ?? running);
  const proven = endpoint.settleAfterMs ?? Number.POSITIVE_INFINITY;
  const look = async (): Promise<Verdict | NoList> => {
    const listed = await listItems(search, listing);
    if (typeof listed === "string") return listed;
    const { complete, items } = listed;
    const facts = await factsOf(parts, record, endpoint, fields, items);
    return verdictOf(endpoint, items, { ...facts, complete, settled: passedMs >= proven });
  };
  const found = await look();
  // One list that is empty by mistake would have the same content sent again.
  return typeof found === "object" && found.verdict === "absent" ? look() : found;
}

/** What is known beside the items that were found. */
async function factsOf(
  { store }: Pick<ReconcileParts, "store">,
  record: SubmissionRecord,
  endpoint: Endpoint,
  matchFields: MatchFields,
  items: readonly unknown[],
): Promise<Omit<VerdictFacts, "complete" | "settled">> {
  const insurerIds = items
    .map((item) => insurerIdOf(endpoint, item))
    .filter((insurerId) => insurerId !== null);
  // After the items: what is claimed from now on cannot be among them.
  const { known, ...alike } = await store.competitors(record, insurerIds);
  const here = known.filter(({ segment }) => segment === record.segment);
  const idsOf = (some: typeof known): ReadonlySet<string> =>
    new Set(some.map(({ insurerId }) => insurerId));
  return {
    matchFields,
    sentAt: record.receivedAt,
    ...alike,
    others: idsOf(here),
    contested: idsOf(here.filter(({ alike }) => !alike)),
    elsewhere: idsOf(known.filter(({ segment }) => segment !== record.segment)),
  };
}

/** What is replayed from now on: the item as the answer it would have been, or a problem that says what is proven. */
function endingOf(
  { basePath }: ReconcileParts,
  endpoint: Endpoint,
  { id, unknownAt }: SubmissionRecord,
  found: Exclude<Verdict, { readonly verdict: "unclear" }>,
): Ending {
  const place = { provider: endpoint.provider, requestId: id };
  const href = submissionAddress(basePath, id);
  if (found.verdict === "absent") {
    const since = new Date(unknownAt ?? 0).toISOString();
    const proof = `its outcome was unknown since ${since}, the insurer's list was read after the time that the insurer needs, and it is not there`;
    const answer = problemAnswer(notTaken(proof), place, basePath);
    return { state: "failed", insurerId: null, answer };
  }
  const { insurerId, item } = found;
  const fitting = answersOf(endpoint).find(([, declared]) => {
    const schema = jsonAnswerOf(declared);
    return schema !== undefined && check(schema, item).valid;
  });
  const answer = fitting
    ? successAnswer({ status: fitting[0], content: JSON.stringify(item) }, HEADERS, href)
    : problemAnswer(
        carriedOutUnseen("the insurer's list has it", { href, insurerId }),
        place,
        basePath,
      );
  return { state: "succeeded", insurerId, closed: isClosed(endpoint, item), answer };
}

const HEADERS = {
  "cache-control": "no-store",
  "content-type": "application/json; charset=utf-8",
} as const;
