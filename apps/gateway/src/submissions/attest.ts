import type { Attestation, SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { isReference } from "../upstream/reference.ts";
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
 * @throws Error when there is no such submission, it does not wait for a person's word, or the word cannot be right
 */
export async function attest(parts: AttestParts, testimony: Testimony): Promise<string> {
  const { as, at, by, id, reason } = testimony;
  const { store } = parts;
  const reference = testimony.reference ?? null;
  refuseWrongWord(as, reference);
  const record = await store.find(id);
  if (record === null) throw new Error(`There is no submission ${id}.`);
  if (reference !== null) await refuseTakenReference(store, record, reference);
  const href = submissionAddress(parts.basePath, id);
  const proof = "the operator asked the insurer";
  const refusal =
    as === "succeeded" ? carriedOutUnseen(proof, { href, reference }) : notTaken(proof);
  const place = { endpoint: { provider: record.provider }, requestId: id };
  const answer = problemAnswer(refusal, place, parts.basePath);
  const settlement = settlementOf(parts, { id, at, state: as, reference, answer });
  if (await store.settleByPerson(settlement, { by, reason })) return as;
  throw new Error(
    `${id} is ${record.state}: only what is outcome_unknown or needs_review is settled by a person.`,
  );
}

function refuseWrongWord(as: Testimony["as"], reference: string | null): void {
  if (as === "succeeded" && reference === null)
    throw new Error("--as succeeded needs --reference: the identifier that the insurer shows.");
  if (as === "failed" && reference !== null)
    throw new Error("--as failed takes no --reference: the insurer has no such application.");
  if (reference !== null && !isReference(reference))
    throw new Error(
      "--reference must be an identifier: letters, digits and . _ : / -, at most 64 of them.",
    );
}

async function refuseTakenReference(
  store: SubmissionStore,
  record: SubmissionRecord,
  reference: string,
): Promise<void> {
  const { known } = await store.rivals(record, [reference]);
  if (known.some(({ segment }) => segment === record.segment))
    throw new Error(`${reference} belongs to another submission already.`);
}
