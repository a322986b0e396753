import {
  type Endpoint,
  matchValues,
  parameterOrigins,
  valueAt,
} from "@insurance-gateway/core/contract";
import { insurerIdOf } from "../upstream/binding.ts";
import type { MatchFields } from "./match.ts";

/** What a query proves about a submission of unknown outcome. */
export type Verdict =
  | { readonly verdict: "carried_out"; readonly item: unknown; readonly insurerId: string }
  /** The insurer has nothing that could be it, and enough time has passed. */
  | { readonly verdict: "absent" }
  /** Something may be it, or may still arrive: a later query or a person must decide. */
  | { readonly verdict: "unclear" };

/** What is known beside the items. */
export interface VerdictFacts {
  readonly matchFields: MatchFields;
  /** When it was sent, at the latest. */
  readonly sentAt: number;
  /** Whether the insurer has had the time after which absence is a proof. */
  readonly settled: boolean;
  /** Whether every item was seen that can be it. */
  readonly complete: boolean;
  /** How many submissions that are as open as this one ask for the same. */
  readonly openAlike: number;
  /** How many of these are in flight: each item that is found may be what their own answer is about to name. */
  readonly inFlightAlike: number;
  /** How many of those that are open were claimed before this one. */
  readonly olderAlike: number;
  /** How many like it succeeded without an identifier: each item that is found may be theirs. */
  readonly unnamedAlike: number;
  /** The identifiers that belong to other submissions for the same insurer. */
  readonly others: ReadonlySet<string>;
  /** Those of them whose submissions have other match fields: an item that is like this one is not theirs. */
  readonly contested: ReadonlySet<string>;
  /** The identifiers that belong to submissions for what may be the same insurer, under another segment. */
  readonly elsewhere: ReadonlySet<string>;
}

/** How far the insurer's clock may be behind ours. */
const INSURER_CLOCK_DIFFERS_MS = 5 * 60_000;

/**
 * Decides what found items prove. It was carried out when there are as many items, created since and like it in every
 * declared place, as there are open submissions that ask for it; then each has one. It is absent only when there is
 * nothing that could be it: neither a newer item, nor one that is like it, nor one that was not searched for. Everything
 * between proves nothing.
 */
export function verdictOf(
  endpoint: Endpoint,
  items: readonly unknown[],
  facts: VerdictFacts,
): Verdict {
  const { complete, contested, elsewhere, matchFields, others, sentAt, settled } = facts;
  const { inFlightAlike, olderAlike, openAlike, unnamedAlike } = facts;
  const mine = items.filter((item) => {
    const insurerId = insurerIdOf(endpoint, item) ?? "";
    const isContested = contested.has(insurerId) && isAlike(endpoint, item, matchFields);
    return isContested || !others.has(insurerId);
  });
  const newer = mine.filter((item) => isSince(endpoint, item, sentAt));
  const alike = mine.filter((item) => isAlike(endpoint, item, matchFields));
  if (!complete) return { verdict: "unclear" };
  if (newer.length === 0 && alike.length === 0) {
    const isProof = settled && isAsSearched(endpoint, items, matchFields);
    return { verdict: isProof ? "absent" : "unclear" };
  }
  const found = oldestFirst(
    endpoint,
    newer.filter((item) => alike.includes(item)),
  );
  if (found === null) return { verdict: "unclear" };
  const insurerIds = found.map((item) => insurerIdOf(endpoint, item) ?? "");
  const doubtful = insurerIds.some(
    (name) => name === "" || elsewhere.has(name) || contested.has(name),
  );
  // Nothing else distinguishes them: the first that was claimed has the first that was created.
  const insurerId = insurerIds[olderAlike];
  const isOneForEach = inFlightAlike + unnamedAlike === 0 && found.length === openAlike + 1;
  return insurerId === undefined || doubtful || !isOneForEach
    ? { verdict: "unclear" }
    : { verdict: "carried_out", item: found[olderAlike], insurerId };
}

/** Whether an item may have been created since a submission was sent; one without a readable time may have been. */
export function isSince(endpoint: Endpoint, item: unknown, sentAt: number): boolean {
  const created = createdAt(endpoint, item);
  return Number.isNaN(created) || created >= sentAt - INSURER_CLOCK_DIFFERS_MS;
}

/** A time of day with its zone: a date alone, or a time in a zone that is not named, is no instant. */
const INSTANT = /\d:\d\d.*(Z|GMT|[+-]\d\d:?\d\d)$/i;
/** No form of an instant is longer, and the expression takes quadratic time. */
const LONGEST_INSTANT = 64;

/** When the insurer created an item, in milliseconds since 1970; NaN for one without a readable instant. */
export function createdAt({ reconcile }: Endpoint, item: unknown): number {
  const text = String(valueAt(item, reconcile?.createdAt ?? ""));
  const isInstant = text.length <= LONGEST_INSTANT && INSTANT.test(text);
  return isInstant ? Date.parse(text) : Number.NaN;
}

/**
 * Items by the time of their creation; null when it does not distinguish them. One without a readable time may have been
 * created long before.
 */
function oldestFirst(endpoint: Endpoint, items: readonly unknown[]): readonly unknown[] | null {
  const times = items.map((item) => createdAt(endpoint, item));
  if (times.some(Number.isNaN) || new Set(times).size < times.length) return null;
  return items.toSorted((one, other) => createdAt(endpoint, one) - createdAt(endpoint, other));
}

/**
 * Whether no item has another value than was searched for: the list would be the answer to another question. An insurer
 * that stores a value in its normal form may not find it in another one.
 */
function isAsSearched(
  endpoint: Endpoint,
  items: readonly unknown[],
  { query = {}, same }: MatchFields,
): boolean {
  const searched = parameterOrigins(endpoint).filter(({ from }) => same[from] !== undefined);
  const isInNormalForm = searched.every(({ from, name }) => query[name] === same[from]);
  return (
    isInNormalForm &&
    items.every((item) => {
      const found = matchValues(endpoint, item);
      return searched.every(
        ({ from }) => (found[from] ?? null) === null || found[from] === same[from],
      );
    })
  );
}

/** Whether an item has what was sent in every match field, and nothing in one that was not sent: that would be another's. */
function isAlike(endpoint: Endpoint, item: unknown, { same }: MatchFields): boolean {
  const found = matchValues(endpoint, item);
  const pointers = new Set([...Object.keys(same), ...Object.keys(found)]);
  return [...pointers].every((pointer) => (found[pointer] ?? null) === (same[pointer] ?? null));
}
