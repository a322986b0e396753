import type { CreationTimes, IdentifierScope } from "@insurance-gateway/core/runtime";
import {
  canBelongTo,
  creationInstants,
  insurerIdOf,
  type Owner,
  type Verdict,
  type VerdictFacts,
  verdictOf,
} from "@insurance-gateway/core/runtime";
import type { Days } from "../accounts/usage/days.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { isOfSameAccount } from "../store/claim.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { SenderAccount, SimilarSubmissions, SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { pseudonymOf } from "./identity.ts";
import { readInsurerList } from "./insurer-list.ts";
import { findByReference, type NoListReason, type QueryOptions } from "./list-page.ts";
import { decryptMatchFields, type MatchFields } from "./match.ts";
import { endQueries, handleVerdict, type ReconcileParts } from "./query-result.ts";

/**
 * Function that queries the insurer for one submission, and stores the result that the answer proves. Never sends
 * the submission again.
 * @returns `answered`, or the reason why the insurer did not answer
 */
export type Reconcile = (
  record: SubmissionRecord,
  options: QueryOptions,
) => Promise<"answered" | NoListReason>;

/** Creates the reconciliation of submissions with the insurers' own lists. */
export function createReconcile(parts: ReconcileParts): Reconcile {
  const { clock, findEndpoint, stopping, store } = parts;
  return async (record, options) => {
    const route = findEndpoint(record.segment, record.endpoint);
    const found = await queryOrFail(parts, record, route, options);
    // A query that was interrupted because the process stops proves nothing.
    if (stopping.aborted) return "answered";
    if (found === "unanswered" || found === "no_credentials") {
      const { running } = clock.now();
      await store.delay(record, running, running + UNANSWERED_DELAY_MS);
      return found;
    }
    if (route === undefined || found === "impossible") await endQueries(parts, record);
    else await handleVerdict(parts, record, route, found);
    return "answered";
  };
}

/** Delay before an unanswered query is repeated, in milliseconds, so that other submissions' queries come first. */
const UNANSWERED_DELAY_MS = 10_000;

/** Result of a query: a verdict, the reason why no answer came, or `impossible` if no query can be sent. */
type QueryResult = Verdict | NoListReason | "impossible";

/** Sends a query. A query that fails because of a fault in the gateway proves nothing. */
async function queryOrFail(
  parts: ReconcileParts,
  record: SubmissionRecord,
  route: ProviderRoute | undefined,
  options: QueryOptions,
): Promise<QueryResult> {
  try {
    return route === undefined ? "impossible" : await queryInsurer(parts, record, route, options);
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

async function queryInsurer(
  parts: ReconcileParts,
  record: SubmissionRecord,
  route: ProviderRoute,
  options: QueryOptions,
): Promise<QueryResult> {
  const { days, encryption, findEndpoint, stopping } = parts;
  const { endpoint } = route;
  const search = findEndpoint(record.segment, endpoint.reconcile?.endpoint ?? "");
  // A provider package of another version may declare a query for an endpoint that changes an item. A list does not
  // prove which call changed the item.
  if (!record.creates) return "impossible";
  if (search === undefined || record.matchFields === null || record.keyId === null)
    return "impossible";
  const fields = decryptMatchFields(encryption, record.id, record.matchFields, record.keyId);
  // The endpoint had no query when the submission was claimed.
  if (fields.query === undefined) return "impossible";
  // The running time is read before the list, because the insurer may add an item while the gateway reads the list.
  const { running } = parts.clock.now();
  const listing = { days, endpoint, record, values: fields.query, options, stopping };
  const byReference = await findByReference(search, listing);
  if (typeof byReference === "string") return byReference;
  if (byReference !== null) {
    const facts = await readFacts(parts, record, route, fields, [byReference.item]);
    // A reference belongs to one submission, even if equal submissions are open. An unknown reference proves nothing.
    const found = verdictOf(endpoint, [byReference.item], {
      ...facts,
      complete: true,
      similarOpen: 0,
      similarInFlight: 0,
      similarOlder: 0,
      similarUnnamed: 0,
      rivals: [],
      settled: false,
    });
    if (found.verdict === "carried_out") return found;
  }
  const sinceUnknownMs = running - (record.unknownRunning ?? running);
  const settleMs = endpoint.settleAfterMs ?? Number.POSITIVE_INFINITY;
  const listed = await readInsurerList(search, listing);
  if (typeof listed === "string") return listed;
  const { pagesFitRequests, complete, items } = listed;
  const facts = await readFacts(parts, record, route, fields, items);
  return verdictOf(endpoint, items, {
    ...facts,
    complete,
    settled: pagesFitRequests && sinceUnknownMs >= settleMs,
  });
}

/** Returns the facts about other submissions that the verdict needs. */
async function readFacts(
  {
    days,
    store,
  }: {
    readonly days: Pick<Days, "offsetAt">;
    readonly store: Pick<SubmissionStore, "similarSubmissions">;
  },
  record: SubmissionRecord,
  { endpoint, unique }: Pick<ProviderRoute, "endpoint" | "unique">,
  matchFields: MatchFields,
  items: readonly unknown[],
): Promise<Omit<VerdictFacts, "complete" | "settled">> {
  const insurerIds = items
    .map((item) => insurerIdOf(endpoint, item))
    .filter((insurerId) => insurerId !== null);
  // Similar submissions are read after the items: a submission that is claimed later cannot have created a found item.
  const { known, ...similar } = await store.similarSubmissions(record, insurerIds);
  const owners = known.flatMap((owner): readonly Owner[] => {
    const item = items.find((one) => insurerIdOf(endpoint, one) === owner.insurerId);
    const instants = creationInstants(endpoint, item, days);
    const claim = identifierClaimOf(record, unique, owner, instants);
    return claim === null ? [] : [{ insurerId: owner.insurerId, claim }];
  });
  const { answeredId, receivedAt, unknownAt } = record;
  return {
    matchFields,
    days,
    times: { from: receivedAt, until: unknownAt ?? receivedAt },
    ...similar,
    // The insurer answered the queried submission with this identifier, so another owner of the identifier contradicts
    // this answer.
    owners: owners.map((owner) =>
      owner.insurerId === answeredId ? { ...owner, claim: "contradicted" } : owner,
    ),
  };
}

/**
 * Returns how certainly a found item belongs to the owner of the item's identifier; null if the owner does not matter.
 */
function identifierClaimOf(
  record: SenderAccount,
  unique: IdentifierScope,
  owner: SimilarSubmissions["known"][number],
  instants: readonly number[],
): Owner["claim"] | null {
  const isOfOwners = instants.length === 0 || canBelongTo(instants, owner, 0);
  if (!isOfSameAccount(record, owner)) {
    if (unique === "account") return owner.hasSameMatchFields && isOfOwners ? "possible" : null;
    // Another segment may be another insurer. An item newer than the owner shows separate numbering.
    if (owner.segment !== record.segment || isNewerThan(instants, owner)) return "possible";
  }
  return owner.hasSameMatchFields ? "certain" : "contradicted";
}

/** Reports whether an item was created after the submission that owns the item's identifier had ended. */
function isNewerThan(instants: readonly number[], owner: CreationTimes): boolean {
  return (
    instants.length > 0 && !canBelongTo(instants, { ...owner, from: Number.NEGATIVE_INFINITY }, 0)
  );
}
