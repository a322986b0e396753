import type { Attestation } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { submissionAddress } from "./addresses.ts";
import {
  carriedOutUnseen,
  notTaken,
  problemAnswer,
  type SettlementParts,
  settlementOf,
} from "./settlements.ts";

/** What settling by a person works with. */
export interface AttestParts extends SettlementParts {
  readonly store: SubmissionStore;
}

/** What a person says became of a submission, having asked the insurer. */
export interface Testimony extends Attestation {
  readonly id: string;
  readonly at: number;
  readonly as: "succeeded" | "failed";
  /** The insurer's own identifier of what it carried out. */
  readonly reference?: string;
}

/**
 * Settles a submission by a person's word, which is kept with who said it and why.
 * @returns the state it has now
 * @throws Error when there is no such submission, or it does not wait for a person's word
 */
export async function attest(parts: AttestParts, testimony: Testimony): Promise<string> {
  const { as, at, by, id, reason } = testimony;
  const reference = testimony.reference ?? null;
  const record = await parts.store.find(id);
  if (record === null) throw new Error(`There is no submission ${id}.`);
  const href = submissionAddress(parts.basePath, id);
  const proof = "the operator asked the insurer";
  const refusal =
    as === "succeeded" ? carriedOutUnseen(proof, { href, reference }) : notTaken(proof);
  const place = { endpoint: { provider: record.provider }, requestId: id };
  const answer = problemAnswer(refusal, place, parts.basePath);
  const settlement = settlementOf(parts, { id, at, state: as, reference, answer });
  if (await parts.store.settleByPerson(settlement, { by, reason })) return as;
  throw new Error(
    `${id} is ${record.state}: only what is outcome_unknown or needs_review is settled by a person.`,
  );
}
