import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import { referenceOf } from "../upstream/reference.ts";
import type { LookupEvidence } from "./evidence.ts";

/** What a lookup says about a submission of unknown outcome. */
export type Verdict =
  | { readonly verdict: "carried_out"; readonly item: unknown; readonly reference: string }
  /** Nothing that could be it is there, and there has been time enough. */
  | { readonly verdict: "absent" }
  /** Something may be it, or may still come: a person, or a later lookup, must tell. */
  | { readonly verdict: "unclear" };

/** What is known beside the items. */
export interface VerdictFacts {
  readonly evidence: LookupEvidence;
  /** When it was sent, at the latest. */
  readonly sentAt: number;
  /** Whether the insurer has had the time after which absence is a proof. */
  readonly settled: boolean;
  /** Whether every item the insurer has was seen. */
  readonly complete: boolean;
  /** The references that belong to other submissions. */
  readonly others: ReadonlySet<string>;
}

/** How far the insurer's clock may be behind ours. */
const CLOCK_DIFFERENCE_MS = 5 * 60_000;

/**
 * Decides what found items prove. Found is exactly one item, created since the submission was sent, that is like it
 * in every declared place and belongs to no other submission. Absent is it only when there is nothing that could be
 * it: neither a newer item, nor one that is like it. Everything between proves nothing.
 */
export function verdictOf(
  endpoint: Endpoint,
  items: readonly unknown[],
  facts: VerdictFacts,
): Verdict {
  const mine = items.filter((item) => {
    const reference = referenceOf(endpoint, item);
    return reference === null || !facts.others.has(reference);
  });
  const newer = mine.filter((item) => isSince(endpoint, item, facts.sentAt));
  const alike = mine.filter((item) => isAlike(item, facts.evidence));
  const [found, ...rest] = newer.filter((item) => alike.includes(item));
  const reference = found === undefined ? null : referenceOf(endpoint, found);
  if (reference !== null && rest.length === 0)
    return { verdict: "carried_out", item: found, reference };
  const nothing = newer.length === 0 && alike.length === 0;
  return { verdict: nothing && facts.complete && facts.settled ? "absent" : "unclear" };
}

function isSince(endpoint: Endpoint, item: unknown, sentAt: number): boolean {
  const created = Date.parse(String(valueAt(item, endpoint.lookup?.createdAt ?? "")));
  // An item without a time could be of any.
  return Number.isNaN(created) || created >= sentAt - CLOCK_DIFFERENCE_MS;
}

function isAlike(item: unknown, { same }: LookupEvidence): boolean {
  return Object.entries(same).every(([place, value]) => valueAt(item, place) === value);
}
