import { type Endpoint, type QueryValues, valueAt } from "@insurance-gateway/core/contract";
import type { Sealer } from "./sealing.ts";

/** What a later lookup of a submission's outcome needs of its body, and nothing else of it. */
export interface LookupEvidence {
  /** The parameters of the lookup. */
  readonly query: QueryValues;
  /** What a found item must have in common with the body, by place. */
  readonly same: Readonly<Record<string, unknown>>;
}

/** Takes from a body what the declared lookup needs; null when there is no lookup. */
export function evidenceOf(endpoint: Endpoint, body: unknown): LookupEvidence | null {
  const { lookup } = endpoint;
  if (lookup === undefined) return null;
  return {
    // What is declared as a parameter of a search stands as text or number in the body.
    query: Object.fromEntries(
      Object.entries(lookup.parameters).map(([name, { from }]) => [name, valueAt(body, from)]),
    ) as QueryValues,
    same: Object.fromEntries(lookup.same.map((place) => [place, valueAt(body, place)])),
  };
}

/** Seals evidence for its place in the store. */
export function sealEvidence(sealer: Sealer, id: string, evidence: LookupEvidence): Uint8Array {
  return sealer.seal(Buffer.from(JSON.stringify(evidence)), `evidence ${id}`);
}

/** Opens kept evidence. */
export function openEvidence(
  sealer: Sealer,
  id: string,
  sealed: Uint8Array,
  keyId: string,
): LookupEvidence {
  const bytes = sealer.open(sealed, keyId, `evidence ${id}`);
  // What opens was sealed by this gateway, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as LookupEvidence;
}
