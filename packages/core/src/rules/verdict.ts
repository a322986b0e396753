import type { Endpoint } from "../contract/endpoint.ts";
import { type MatchValues, matchValues } from "../contract/match.ts";
import type { QueryValues } from "../contract/query.ts";
import { parameterOrigins } from "../contract/reconciliation.ts";
import { agrees, insurerIdOf } from "./binding.ts";
import {
  type CreationTimes,
  canBelongTo,
  creationInstants,
  type TimeZone,
} from "./creation-times.ts";

/** The values that find a submission among the items of a search. */
export interface SearchedFields {
  /** The values of the search's parameters, by their names in `reconcile.parameters`; absent without `reconcile`. */
  readonly query?: QueryValues;
  /** The match fields in normal form, by JSON Pointer. A found item or an answer must have the same values. */
  readonly same: MatchValues;
}

/** The result of a query about a submission of unknown outcome. */
export type Verdict =
  | { readonly verdict: "carried_out"; readonly item: unknown; readonly insurerId: string }
  /** The insurer has no item that could belong to the submission, and enough time has passed. */
  | { readonly verdict: "absent" }
  /** An item may belong to the submission, or may still appear: a later query or a person must decide. */
  | { readonly verdict: "unclear" };

/** The known facts, besides the items. */
export interface VerdictFacts {
  readonly matchFields: SearchedFields;
  /** The times at which the submission was sent, and answered or timed out. */
  readonly times: CreationTimes;
  /** The operator's time zone, for times without a zone. */
  readonly days: TimeZone;
  /** True if a missing item proves absence: the settle time is over, and the list does not contradict the search. */
  readonly settled: boolean;
  /** True if the gateway read every item that could belong to the submission. */
  readonly complete: boolean;
  /** Number of other open submissions of the account with the same match fields as this submission. */
  readonly similarOpen: number;
  /** Number of the submissions in `similarOpen` that are in flight: their answers may soon name a found item. */
  readonly similarInFlight: number;
  /** Number of the submissions in `similarOpen` that were claimed before this submission. */
  readonly similarOlder: number;
  /** Number of equal submissions that succeeded without an identifier. A found item may belong to one of them. */
  readonly similarUnnamed: number;
  /** Times of other accounts' submissions with the same match fields, which may have created a found item. */
  readonly rivals: readonly CreationTimes[];
  /** Other submissions that already have the identifier of an item. */
  readonly owners: readonly Owner[];
}

/**
 * Another submission that has the insurer's identifier of a found item. `claim` tells whether the item belongs to it.
 */
export interface Owner {
  readonly insurerId: string;
  /**
   * `certain` or `possible`: the item belongs, or may belong, to the other submission. `contradicted`: the item has
   * the other submission's identifier, but this submission's content.
   */
  readonly claim: "certain" | "possible" | "contradicted";
}

/** How far the insurer's clock may be behind the gateway's clock, in milliseconds. */
const INSURER_CLOCK_DIFFERS_MS = 5 * 60_000;

/** An item of the insurer, prepared for comparison. */
interface Candidate {
  readonly item: unknown;
  readonly insurerId: string;
  readonly instants: readonly number[];
}

/**
 * Decides what the found items prove. The submission was carried out if the number of newer items with equal match
 * fields equals the number of the account's open submissions with these fields; then each submission has one item.
 * While another account has an equal submission, only the creation time shows whose item was found. The submission
 * is absent only if no newer or equal item exists, and the search used the normal forms of the match fields. Any other
 * result proves nothing.
 */
export function verdictOf(
  endpoint: Endpoint,
  items: readonly unknown[],
  facts: VerdictFacts,
): Verdict {
  const { complete, days, matchFields, owners, settled, times } = facts;
  if (!complete) return { verdict: "unclear" };
  const ownedAs = (claim: Owner["claim"]): ReadonlySet<string> =>
    new Set(owners.filter((owner) => owner.claim === claim).map(({ insurerId }) => insurerId));
  const [certain, possible, contradicted] = [
    ownedAs("certain"),
    ownedAs("possible"),
    ownedAs("contradicted"),
  ];
  const mine = items
    .map((item) => ({
      item,
      insurerId: insurerIdOf(endpoint, item) ?? "",
      instants: creationInstants(endpoint, item, days),
    }))
    .filter(({ insurerId, item }) => {
      const isContested =
        contradicted.has(insurerId) && matchesAllFields(endpoint, item, matchFields);
      return isContested || !(certain.has(insurerId) || contradicted.has(insurerId));
    });
  const newer = mine.filter(({ instants }) => canBeCreatedSince(instants, times.from));
  const alike = mine.filter(({ item }) => matchesAllFields(endpoint, item, matchFields));
  if (newer.length === 0 && alike.length === 0) {
    const isProof = settled && repeatSearchedValues(endpoint, items, matchFields);
    return { verdict: isProof ? "absent" : "unclear" };
  }
  const found = newer.filter((one) => alike.includes(one));
  const isDoubtful = found.some(
    ({ insurerId: name }) => name === "" || possible.has(name) || contradicted.has(name),
  );
  const own = isDoubtful ? null : ownItem(found, facts, endpoint.settleAfterMs ?? 0);
  return own === null
    ? { verdict: "unclear" }
    : { verdict: "carried_out", item: own.item, insurerId: own.insurerId };
}

/** Returns the item that belongs to this submission, or null if no item provably belongs to it. */
function ownItem(
  found: readonly Candidate[],
  { similarInFlight, similarOlder, similarOpen, rivals, times, similarUnnamed }: VerdictFacts,
  settleMs: number,
): Candidate | null {
  if (similarInFlight + similarUnnamed > 0) return null;
  if (rivals.length > 0) {
    const others = found.filter(
      ({ instants }) =>
        instants.length === 0 || rivals.some((rival) => canBelongTo(instants, rival, settleMs)),
    );
    const [own, ...more] = found.filter((one) => !others.includes(one));
    const isOwn =
      own !== undefined && more.length === 0 && canBelongTo(own.instants, times, settleMs);
    return similarOpen === 0 && isOwn ? own : null;
  }
  const ordered = oldestFirst(found, times, settleMs);
  // Nothing else distinguishes these submissions, so the insurer's oldest item belongs to the oldest submission.
  return ordered?.length === similarOpen + 1 ? (ordered[similarOlder] ?? null) : null;
}

/** Reports whether an item may have been created after a submission was sent. An item without a readable time may. */
export function canBeCreatedSince(instants: readonly number[], sentAt: number): boolean {
  return instants.length === 0 || instants.some((at) => at >= sentAt - INSURER_CLOCK_DIFFERS_MS);
}

/**
 * Returns the items by creation time, or null if the times do not distinguish them. An item may be much older than the
 * submission if its time is unreadable, or if its time has no zone and does not fit the submission.
 */
function oldestFirst(
  found: readonly Candidate[],
  { from, until }: CreationTimes,
  settleMs: number,
): readonly Candidate[] | null {
  const latest = (until ?? Number.POSITIVE_INFINITY) + settleMs + INSURER_CLOCK_DIFFERS_MS;
  const timed = found.map((one) => {
    const { instants } = one;
    const at =
      instants.length === 1
        ? instants[0]
        : instants.find((each) => canBeCreatedSince([each], from) && each <= latest);
    return { one, at: at ?? Number.NaN };
  });
  const times = timed.map(({ at }) => at);
  if (times.some(Number.isNaN) || new Set(times).size < times.length) return null;
  return timed.toSorted((one, other) => one.at - other.at).map(({ one }) => one);
}

/**
 * Reports whether all items have the searched values. Another value means that the list answers another search. The
 * search must use normal forms, because an insurer that stores normal forms may not find other spellings.
 */
function repeatSearchedValues(
  endpoint: Endpoint,
  items: readonly unknown[],
  { query = {}, same }: SearchedFields,
): boolean {
  const searched = parameterOrigins(endpoint).filter(({ from }) => same[from] !== undefined);
  const isInNormalForm = searched.every(({ from, name }) => query[name] === same[from]);
  return (
    isInNormalForm &&
    items.every((item) => {
      const found = matchValues(endpoint, item);
      return searched.every(
        ({ from }) => (found[from] ?? null) === null || agrees(found[from], same[from]),
      );
    })
  );
}

/** Reports whether all match fields of an item equal the sent values. A field that was not sent must be absent. */
function matchesAllFields(endpoint: Endpoint, item: unknown, { same }: SearchedFields): boolean {
  const found = matchValues(endpoint, item);
  const pointers = new Set([...Object.keys(same), ...Object.keys(found)]);
  return [...pointers].every((pointer) => agrees(found[pointer] ?? null, same[pointer] ?? null));
}
