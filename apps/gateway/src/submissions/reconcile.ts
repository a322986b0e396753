import {
  type CheckedInput,
  check,
  type Endpoint,
  type Page,
  type QueryValues,
} from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { StoreUnavailableError } from "../store/store.ts";
import { insurerIdOf } from "../upstream/insurer-id.ts";
import { submissionAddress } from "./addresses.ts";
import type { ConcludeParts } from "./conclude.ts";
import { decryptMatchFields } from "./match-fields.ts";
import {
  carriedOutUnseen,
  notTaken,
  problemAnswer,
  settlementOf,
  successAnswer,
} from "./settlements.ts";
import type { StoredAnswer } from "./stored-answer.ts";
import { nextQuery } from "./timing.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** Finds the route of an endpoint by segment and name; undefined when it is not served any more. */
export type FindEndpoint = (segment: string, endpoint: string) => ProviderRoute | undefined;

/** What looking up works with. */
export interface ReconcileParts extends ConcludeParts {
  /** Gives lookups up when the gateway stops. */
  readonly stopping: AbortSignal;
}

/** Looks up the outcome of one submission that is taken for it, and writes what the lookup proves. */
export type Reconcile = (record: SubmissionRecord) => Promise<void>;

const PAGE_LIMIT = 100;
/** A customer with more than this many items needs a person to look. */
const MOST_PAGES = 10;

/** How far the clocks of the gateway's own processes may be apart. */
const PROCESS_CLOCKS_DIFFER_MS = 60_000;

/** Makes the settling of unknown outcomes by the insurers' own lookups. Nothing is ever sent again by it. */
export function createReconcile(parts: ReconcileParts, findEndpoint: FindEndpoint): Reconcile {
  const { logger, stopping, store, time } = parts;
  return async (record) => {
    const at = time.now();
    const route = findEndpoint(record.segment, record.endpoint);
    const asked = await askSafely(parts, findEndpoint, record);
    // A lookup that the end of the process cut off is not one of those that count.
    if (stopping.aborted) return;
    if (route === undefined || asked === null || asked.verdict === "unclear")
      return postpone(parts, record, asked !== null);
    const ending = endingOf(parts, route.endpoint, record, asked);
    const settlement = settlementOf(parts, { ...ending, id: record.id, at });
    if (!(await store.settleByQuery(settlement, record.fence, record.segment)))
      return postpone(parts, record, true);
    logger.info(
      { submissionId: record.id, state: ending.state },
      "reconciliation settled a submission",
    );
  };
}

/** Plans the next lookup; where none is possible or left, a person must look. */
async function postpone(
  { logger, store, time }: ReconcileParts,
  { fence, id, queries: lookups }: SubmissionRecord,
  possible: boolean,
): Promise<void> {
  const at = time.now();
  const next = possible ? nextQuery(lookups + 1, at) : null;
  await store.postpone(id, fence, at, next);
  if (next === null) logger.error({ submissionId: id }, "a submission needs a person to look");
}

/** A lookup that fails in a way of the gateway's own proves nothing, and its turn is over like any other's. */
async function askSafely(
  parts: ReconcileParts,
  findEndpoint: FindEndpoint,
  record: SubmissionRecord,
): Promise<Verdict | null> {
  try {
    return await ask(parts, findEndpoint, record);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    const failure = error instanceof Error ? error.constructor.name : typeof error;
    parts.logger.error({ submissionId: record.id, failure }, "a reconciliation query failed");
    return { verdict: "unclear" };
  }
}

/** What the declared lookup says; null when there is none to make. */
async function ask(
  { encryption, stopping, store, time }: ReconcileParts,
  findEndpoint: FindEndpoint,
  record: SubmissionRecord,
): Promise<Verdict | null> {
  const endpoint = findEndpoint(record.segment, record.endpoint)?.endpoint;
  const lookup = findEndpoint(record.segment, endpoint?.reconcile?.endpoint ?? "");
  if (endpoint === undefined || lookup === undefined) return null;
  if (record.matchFields === null || record.keyId === null) return null;
  const matchFields = decryptMatchFields(encryption, record.id, record.matchFields, record.keyId);
  const at = time.now();
  const { complete, items } = await itemsOf(lookup, matchFields.query, record.id, stopping);
  const insurerIds = items
    .map((item) => insurerIdOf(endpoint, item))
    .filter((insurerId) => insurerId !== null);
  // After the items: whoever claims from now on cannot be among them.
  const { known, openAlike } = await store.competitors(record, insurerIds);
  const belonging = (here: boolean): ReadonlySet<string> =>
    new Set(
      known
        .filter(({ segment }) => (segment === record.segment) === here)
        .map(({ insurerId }) => insurerId),
    );
  const proven = (endpoint.settleAfterMs ?? Number.POSITIVE_INFINITY) + PROCESS_CLOCKS_DIFFER_MS;
  return verdictOf(endpoint, items, {
    matchFields,
    sentAt: record.receivedAt,
    settled: at - (record.unknownAt ?? at) >= proven,
    complete,
    openAlike,
    others: belonging(true),
    elsewhere: belonging(false),
  });
}

/** Everything a search finds; not complete when the insurer fails or there is too much. */
async function itemsOf(
  { endpoint, upstream }: ProviderRoute,
  query: QueryValues,
  submissionId: string,
  stopping: AbortSignal,
): Promise<{ readonly items: readonly unknown[]; readonly complete: boolean }> {
  const items: unknown[] = [];
  for (let page = 0; page < MOST_PAGES; page++) {
    const start = page * PAGE_LIMIT + 1;
    const input: CheckedInput = {
      params: {},
      query: { ...query, start, limit: PAGE_LIMIT },
      body: undefined,
    };
    const found = await pageOf(() =>
      upstream.call(endpoint, {
        input,
        requestId: submissionId,
        traceHeaders: {},
        waited: () => {},
        submissionId: null,
        callerGone: stopping,
        scenario: undefined,
      }),
    );
    if (found === null) return { items, complete: false };
    items.push(...found.items);
    const seenAll =
      found.total === null ? found.items.length < PAGE_LIMIT : items.length >= found.total;
    if (seenAll) return { items, complete: true };
    if (found.items.length === 0) return { items, complete: false };
  }
  return { items, complete: false };
}

async function pageOf(
  ask: () => ReturnType<ProviderRoute["upstream"]["call"]>,
): Promise<Page<unknown> | null> {
  try {
    const { content } = await ask();
    // The answer of a search has been checked against its declaration: it is a page.
    return JSON.parse(content as string) as Page<unknown>;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** What is replayed from now on: the item as the answer it would have been, or a problem that says what is proven. */
function endingOf(
  { basePath }: ConcludeParts,
  endpoint: Endpoint,
  { id, unknownAt }: SubmissionRecord,
  verdict: Exclude<Verdict, { readonly verdict: "unclear" }>,
): {
  readonly state: "succeeded" | "failed";
  readonly insurerId: string | null;
  readonly answer: StoredAnswer;
} {
  const place = { endpoint, requestId: id };
  const href = submissionAddress(basePath, id);
  if (verdict.verdict === "absent") {
    const since = new Date(unknownAt ?? 0).toISOString();
    const proof = `its outcome was unknown since ${since}, it was looked up after the time the insurer needs, and it is not there`;
    return {
      state: "failed",
      insurerId: null,
      answer: problemAnswer(notTaken(proof), place, basePath),
    };
  }
  const { item, insurerId } = verdict;
  const [[status, schema] = []] = Object.entries(endpoint.response);
  const usable = schema !== undefined && check(schema, item).valid;
  const answer = usable
    ? successAnswer({ status: Number(status), content: JSON.stringify(item) }, HEADERS, href)
    : problemAnswer(carriedOutUnseen("a lookup found it", { href, insurerId }), place, basePath);
  return { state: "succeeded", insurerId, answer };
}

const HEADERS = {
  "cache-control": "no-store",
  "content-type": "application/json; charset=utf-8",
} as const;
