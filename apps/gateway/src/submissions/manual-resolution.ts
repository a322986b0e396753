import type { Resolution, SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { isInsurerId } from "../upstream/insurer-id.ts";
import { submissionAddress } from "./addresses.ts";
import {
  carriedOutUnseen,
  notTaken,
  problemAnswer,
  type SettlementParts,
  settlementOf,
} from "./settlements.ts";

/** What settling by a person works with. */
export interface ManualResolutionParts extends SettlementParts {
  readonly store: SubmissionStore;
}

/** What a person says became of a submission, having asked the insurer. */
export interface ManualResolution extends Resolution {
  readonly id: string;
  readonly at: number;
  readonly as: "succeeded" | "failed";
  /** The insurer's own identifier of what it carried out. */
  readonly insurerId?: string;
}

/**
 * Settles a submission by a person's word, which is kept with who said it and why.
 * @returns the state it has now
 * @throws Error when there is no such submission, it does not wait for a person's word, or the word cannot be right
 */
export async function resolveManually(
  parts: ManualResolutionParts,
  testimony: ManualResolution,
): Promise<string> {
  const { as, at, by, id, reason } = testimony;
  const { store } = parts;
  const insurerId = testimony.insurerId ?? null;
  refuseWrongWord(as, insurerId);
  const record = await store.find(id);
  if (record === null) throw new Error(`There is no submission ${id}.`);
  if (insurerId !== null) await refuseTakenReference(store, record, insurerId);
  const href = submissionAddress(parts.basePath, id);
  const proof = "the operator asked the insurer";
  const refusal =
    as === "succeeded" ? carriedOutUnseen(proof, { href, insurerId }) : notTaken(proof);
  const place = { endpoint: { provider: record.provider }, requestId: id };
  const answer = problemAnswer(refusal, place, parts.basePath);
  const settlement = settlementOf(parts, { id, at, state: as, insurerId, answer });
  if (await store.settleManually(settlement, { by, reason })) return as;
  throw new Error(
    `${id} is ${record.state}: only what is outcome_unknown or needs_review is settled by a person.`,
  );
}

function refuseWrongWord(as: ManualResolution["as"], insurerId: string | null): void {
  if (as === "succeeded" && insurerId === null)
    throw new Error("--as succeeded needs --insurer-id: the identifier that the insurer shows.");
  if (as === "failed" && insurerId !== null)
    throw new Error("--as failed takes no --insurer-id: the insurer has no such application.");
  if (insurerId !== null && !isInsurerId(insurerId))
    throw new Error(
      "--insurer-id must be an identifier: letters, digits and . _ : / -, at most 64 of them.",
    );
}

async function refuseTakenReference(
  store: SubmissionStore,
  record: SubmissionRecord,
  insurerId: string,
): Promise<void> {
  const { known } = await store.competitors(record, [insurerId]);
  if (known.some(({ segment }) => segment === record.segment))
    throw new Error(`${insurerId} belongs to another submission already.`);
}
