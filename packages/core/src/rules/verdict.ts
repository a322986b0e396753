import type { Endpoint } from "../contract/endpoint.ts";
import { type MatchValues, matchValues } from "../contract/match.ts";
import type { QueryValues } from "../contract/query.ts";
import { parameterOrigins } from "../contract/reconciliation.ts";
import { agrees, insurerIdOf } from "./binding.ts";
import { type CreationTimes, canBeOf, creationInstants, type TimeZone } from "./creation-times.ts";

/** The fields that find a submission among the items of a search. */
export interface SearchedFields {
  /** The values of the search's parameters, as `reconcile.parameters` names them; without a query there are none. */
  readonly query?: QueryValues;
  /** The values that a found item or an answer must share with the body, in normal form, by JSON Pointer. */
  readonly same: MatchValues;
}

/** The proof of a query about a submission of unknown outcome. */
export type Verdict =
  | { readonly verdict: "carried_out"; readonly item: unknown; readonly insurerId: string }
  /** The insurer has nothing that could be it, and enough time has passed. */
  | { readonly verdict: "absent" }
  /** Something may be it, or may still arrive: a later query or a person must decide. */
  | { readonly verdict: "unclear" };

/** The known facts beside the items. */
export interface VerdictFacts {
  readonly matchFields: SearchedFields;
  /** From when until when its answer was waited for. */
  readonly times: CreationTimes;
  /** The operator's calendar, by which times without a zone are read. */
  readonly days: TimeZone;
  /** Whether absence is a proof: the insurer has had its time, and its list does not contradict the question. */
  readonly settled: boolean;
  /** Whether every item was seen that can be it. */
  readonly complete: boolean;
  /** How many submissions of its account that are as open as this one ask for the same. */
  readonly similarOpen: number;
  /** How many of these are in flight: each item that is found may be what their own answer is about to name. */
  readonly similarInFlight: number;
  /** How many of those that are open were claimed before this one. */
  readonly similarOlder: number;
  /** How many like it succeeded without an identifier: each item that is found may be theirs. */
  readonly similarUnnamed: number;
  /** Submissions of other accounts that ask for the same and may have created what is found. */
  readonly rivals: readonly CreationTimes[];
  /** The submissions that have the identifier of an item. */
  readonly owners: readonly Owner[];
}

/** The meaning of another submission's identifier for an item. */
export interface Owner {
  readonly insurerId: string;
  /** It is that one's; it may be that one's; or it is that one's by its identifier, and this one's by its content. */
  readonly claim: "certain" | "possible" | "contradicted";
}

/** How far the insurer's clock may be behind ours. */
const INSURER_CLOCK_DIFFERS_MS = 5 * 60_000;

/** An item that the insurer has, as it is compared. */
interface Candidate {
  readonly item: unknown;
  readonly insurerId: string;
  readonly instants: readonly number[];
}

/**
 * Decides what found items prove. It was carried out when there are as many items, created since and like it in every
 * declared place, as there are open submissions of its account that ask for it; then each has one. While another account
 * asks for the same, only the time of creation tells whose an item is. It is absent only when there is nothing that could
 * be it: neither a newer item, nor one that is like it, nor one that was not searched for. Everything between proves
 * nothing.
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
  const newer = mine.filter(({ instants }) => isSince(instants, times.from));
  const alike = mine.filter(({ item }) => matchesAllFields(endpoint, item, matchFields));
  if (newer.length === 0 && alike.length === 0) {
    const isProof = settled && isAsSearched(endpoint, items, matchFields);
    return { verdict: isProof ? "absent" : "unclear" };
  }
  const found = newer.filter((one) => alike.includes(one));
  const isDoubtful = found.some(
    ({ insurerId: name }) => name === "" || possible.has(name) || contradicted.has(name),
  );
  const own = isDoubtful ? null : assigned(found, facts, endpoint.settleAfterMs ?? 0);
  return own === null
    ? { verdict: "unclear" }
    : { verdict: "carried_out", item: own.item, insurerId: own.insurerId };
}

/** Which of several items is this submission's; null when nothing proves that. */
function assigned(
  found: readonly Candidate[],
  { similarInFlight, similarOlder, similarOpen, rivals, times, similarUnnamed }: VerdictFacts,
  settleMs: number,
): Candidate | null {
  if (similarInFlight + similarUnnamed > 0) return null;
  if (rivals.length > 0) {
    const others = found.filter(
      ({ instants }) =>
        instants.length === 0 || rivals.some((rival) => canBeOf(instants, rival, settleMs)),
    );
    const [own, ...more] = found.filter((one) => !others.includes(one));
    const isOwn = own !== undefined && more.length === 0 && canBeOf(own.instants, times, settleMs);
    return similarOpen === 0 && isOwn ? own : null;
  }
  const ordered = oldestFirst(found, times, settleMs);
  // Nothing else distinguishes these submissions, so the oldest one gets the insurer's oldest item.
  return ordered?.length === similarOpen + 1 ? (ordered[similarOlder] ?? null) : null;
}

/** Whether an item may have been created since a submission was sent; one without a readable time may have been. */
export function isSince(instants: readonly number[], sentAt: number): boolean {
  return instants.length === 0 || instants.some((at) => at >= sentAt - INSURER_CLOCK_DIFFERS_MS);
}

/**
 * Items by the time of their creation; null when it does not distinguish them. One without a readable time may have been
 * created long before, and so may one whose zone is unknown and whose time is nowhere that of the submission.
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
        : instants.find((each) => isSince([each], from) && each <= latest);
    return { one, at: at ?? Number.NaN };
  });
  const times = timed.map(({ at }) => at);
  if (times.some(Number.isNaN) || new Set(times).size < times.length) return null;
  return timed.toSorted((one, other) => one.at - other.at).map(({ one }) => one);
}

/**
 * Whether no item has another value than was searched for: the list would be the answer to another question. An insurer
 * that stores a value in its normal form may not find it in another one.
 */
function isAsSearched(
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

/** Whether an item has what was sent in every match field, and nothing in one that was not sent: that would be another's. */
function matchesAllFields(endpoint: Endpoint, item: unknown, { same }: SearchedFields): boolean {
  const found = matchValues(endpoint, item);
  const pointers = new Set([...Object.keys(same), ...Object.keys(found)]);
  return [...pointers].every((pointer) => agrees(found[pointer] ?? null, same[pointer] ?? null));
}
