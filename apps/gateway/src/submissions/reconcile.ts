import {
  type CheckedInput,
  check,
  type Endpoint,
  isClosed,
  type Page,
  type QueryValues,
  valueAt,
} from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { StoreUnavailableError } from "../store/store.ts";
import { insurerIdOf } from "../upstream/insurer-id.ts";
import {
  carriedOutUnseen,
  notTaken,
  problemAnswer,
  submissionAddress,
  successAnswer,
} from "./answers.ts";
import { type Ending, settlementOf } from "./ending.ts";
import { decryptMatchFields } from "./match.ts";
import { nextQueryAt } from "./query-times.ts";
import type { SubmitParts } from "./submit.ts";
import { isSince, type Verdict, verdictOf } from "./verdict.ts";

/** Finds the route of an endpoint by segment and name; undefined when it is not served any more. */
export type FindEndpoint = (segment: string, endpoint: string) => ProviderRoute | undefined;

/** What reconciliation works with. */
export interface ReconcileParts
  extends Pick<SubmitParts, "store" | "encryption" | "retention" | "basePath" | "time" | "logger"> {
  readonly findEndpoint: FindEndpoint;
  /** Gives queries up when the gateway stops. */
  readonly stopping: AbortSignal;
}

/** How one query is made. */
export interface QueryWay {
  /** Resolves when another request may be sent to the insurer: every page is one. */
  readonly mayAsk: () => Promise<void>;
  /** Whether it is sent although the insurer's breaker is open, to see whether the insurer answers again. */
  readonly probe: boolean;
}

/**
 * Asks the insurer what became of one submission, and writes what the answer proves. It never sends the submission
 * again.
 * @returns whether the insurer answered at all
 */
export type Reconcile = (record: SubmissionRecord, way: QueryWay) => Promise<boolean>;

const PAGE_LIMIT = 100;
/** A customer for whom the insurer has more than this many pages of newer items needs a person. */
const MOST_PAGES = 10;

/** How far the clocks of the gateway's own processes may be apart. */
const PROCESS_CLOCKS_DIFFER_MS = 60_000;

/** Makes the reconciliation of submissions with the insurers' own lists. */
export function createReconcile(parts: ReconcileParts): Reconcile {
  const { findEndpoint, logger, stopping, store, time } = parts;
  return async (record, way) => {
    const at = time.now();
    const endpoint = findEndpoint(record.segment, record.endpoint)?.endpoint;
    const found = await queryOrFail(parts, record, endpoint, way);
    // A query that the end of the process cut off proves nothing.
    if (stopping.aborted) return true;
    if (found === "unanswered") {
      await store.delay(record, time.now(), time.now() + ASK_LATER_MS);
      return false;
    }
    if (endpoint === undefined || found === "impossible" || found.verdict === "unclear") {
      await postpone(parts, record, found !== "impossible");
      return true;
    }
    const ending = endingOf(parts, endpoint, record, found);
    const settled = await store.settleByQuery(
      settlementOf(parts, record.id, at, ending),
      record.fence,
    );
    if (settled === "settled")
      logger.info(
        { submissionId: record.id, state: ending.state },
        "reconciliation settled a submission",
      );
    else await postpone(parts, record, true);
    return true;
  };
}

/** Plans the next query; where none is possible or left, a person must look. */
async function postpone(
  { logger, store, time }: ReconcileParts,
  record: SubmissionRecord,
  isPossible: boolean,
): Promise<void> {
  const at = time.now();
  const next = isPossible ? nextQueryAt(record.unknownAt ?? record.receivedAt, at) : null;
  await store.postpone(record, at, next);
  if (next === null)
    logger.error({ submissionId: record.id }, "a submission needs a person to look");
}

/** A submission whose query the insurer does not answer lets the others go first, for so long, in milliseconds. */
const ASK_LATER_MS = 10_000;

/** The result of a query: a verdict; no answer of the insurer; or that the submission has no query. */
type Found = Verdict | "unanswered" | "impossible";

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
    parts.logger.error({ submissionId: record.id, failure }, "a reconciliation query failed");
    return { verdict: "unclear" };
  }
}

async function query(
  parts: ReconcileParts,
  record: SubmissionRecord,
  endpoint: Endpoint,
  way: QueryWay,
): Promise<Found> {
  const { encryption, findEndpoint, store, time } = parts;
  const search = findEndpoint(record.segment, endpoint.reconcile?.endpoint ?? "");
  if (search === undefined || record.matchFields === null || record.keyId === null)
    return "impossible";
  const fields = decryptMatchFields(encryption, record.id, record.matchFields, record.keyId);
  const at = time.now();
  const listed = await listItems(parts, search, { endpoint, record, query: fields.query, way });
  if (listed === null) return "unanswered";
  const { complete, items } = listed;
  const insurerIds = items
    .map((item) => insurerIdOf(endpoint, item))
    .filter((insurerId) => insurerId !== null);
  // After the items: what is claimed from now on cannot be among them.
  const { inFlightAlike, known, openAlike } = await store.competitors(record, insurerIds);
  // A change belongs to what another submission created.
  const here = (record.creates ? known : []).filter(({ segment }) => segment === record.segment);
  const idsOf = (some: typeof known): ReadonlySet<string> =>
    new Set(some.map(({ insurerId }) => insurerId));
  const proven = (endpoint.settleAfterMs ?? Number.POSITIVE_INFINITY) + PROCESS_CLOCKS_DIFFER_MS;
  return verdictOf(endpoint, items, {
    matchFields: fields,
    sentAt: record.receivedAt,
    settled: at - (record.unknownAt ?? at) >= proven,
    complete,
    openAlike,
    inFlightAlike,
    others: idsOf(here),
    contested: idsOf(here.filter(({ alike }) => !alike)),
    elsewhere: idsOf(known.filter(({ segment }) => segment !== record.segment)),
  });
}

/** What is listed for one submission. */
interface Listing {
  readonly endpoint: Endpoint;
  readonly record: SubmissionRecord;
  readonly query: QueryValues;
  readonly way: QueryWay;
}

interface Listed {
  readonly items: readonly unknown[];
  /** Whether every item was seen that the insurer can have created for the submission. */
  readonly complete: boolean;
}

/**
 * Reads the insurer's list, the newest first, until the first item that is older than the submission. Each page repeats
 * the last item of the one before: when it is another item, the list changed meanwhile, and an item may have been missed.
 * @returns null when the insurer does not answer the first page
 */
async function listItems(
  parts: ReconcileParts,
  search: ProviderRoute,
  listing: Listing,
): Promise<Listed | null> {
  const { endpoint, record, way } = listing;
  const items: unknown[] = [];
  for (let page = 0; page < MOST_PAGES; page++) {
    await way.mayAsk();
    const start = Math.max(1, items.length);
    const found = await readPage(parts, search, listing, start);
    if (found === "unanswered" && page === 0) return null;
    if (typeof found === "string") return { items, complete: false };
    const [first] = found.items;
    if (page > 0 && !isSameItem(endpoint, first, items.at(-1))) return { items, complete: false };
    items.push(...(page === 0 ? found.items : found.items.slice(1)));
    const isOlder = (item: unknown): boolean => !isSince(endpoint, item, record.receivedAt);
    if (items.some(isOlder) && isNewestFirst(endpoint, items)) return { items, complete: true };
    // An insurer may give shorter pages than it is asked for: without a total, the end is a page with nothing new.
    const isLast = found.items.length <= (page === 0 ? 0 : 1);
    const isEnd = found.total === null ? isLast : items.length >= found.total;
    if (isEnd) return { items, complete: true };
    if (isLast) return { items, complete: false };
  }
  return { items, complete: false };
}

function isSameItem(endpoint: Endpoint, one: unknown, other: unknown): boolean {
  const insurerId = insurerIdOf(endpoint, one);
  return insurerId !== null && insurerId === insurerIdOf(endpoint, other);
}

/** A list in another order would hide newer items behind the first older one. Items of one instant show no order. */
function isNewestFirst({ reconcile }: Endpoint, items: readonly unknown[]): boolean {
  const instants = items.map((item) =>
    Date.parse(String(valueAt(item, reconcile?.createdAt ?? ""))),
  );
  const [first = Number.NaN] = instants;
  return (
    first > (instants.at(-1) ?? first) &&
    instants.every((instant, index) => instant <= (instants[index - 1] ?? instant))
  );
}

/** One page; or that the insurer does not answer it, or answers with something else. */
async function readPage(
  { stopping }: ReconcileParts,
  { endpoint, upstream }: ProviderRoute,
  { query: parameters, record, way }: Listing,
  start: number,
): Promise<Page<unknown> | "unanswered" | "unusable"> {
  const input: CheckedInput = {
    params: {},
    query: { ...parameters, start, limit: PAGE_LIMIT },
    body: undefined,
  };
  try {
    const { content } = await upstream.call(endpoint, {
      input,
      requestId: record.id,
      traceHeaders: {},
      waited: () => {},
      submissionId: null,
      callerGone: stopping,
      scenario: undefined,
      reconciles: { probe: way.probe },
    });
    // The answer of a search has been checked against its declaration: it is a page.
    return JSON.parse(content as string) as Page<unknown>;
  } catch (error) {
    if (error instanceof Refusal) return isAnswered(error) ? "unusable" : "unanswered";
    throw error;
  }
}

/** An insurer that refuses the gateway's credentials answers no query. */
function isAnswered({ code, details: { attempt } }: Refusal): boolean {
  return code !== "PROVIDER_AUTH_FAILED" && (attempt === "answered" || attempt === "unusable");
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
    return { state: "failed", insurerId: null, closed: false, answer };
  }
  const { insurerId, item } = found;
  const [[status, schema] = []] = Object.entries(endpoint.response);
  const isUsable = schema !== undefined && check(schema, item).valid;
  const answer = isUsable
    ? successAnswer({ status: Number(status), content: JSON.stringify(item) }, HEADERS, href)
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
