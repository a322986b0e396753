import {
  carriedOutUnseen,
  insurerIdIn,
  notTaken,
  problemAnswer,
  submissionAddress,
} from "@insurance-gateway/core/runtime";
import type { Resolution } from "../store/record.ts";
import type { Moment } from "../store/running-time.ts";
import { buildSettlement } from "./build-settlement.ts";
import type { SubmitParts } from "./submission.ts";

/** The parts of the gateway that a manual resolution needs. */
export type ManualResolutionParts = Pick<
  SubmitParts,
  "store" | "encryption" | "retention" | "basePath"
>;

/** A submission's result that an operator has learned from the insurer. */
export interface ManualResolution extends Resolution {
  readonly id: string;
  readonly at: Moment;
  readonly as: "succeeded" | "failed";
  /** The insurer's identifier of the application. */
  readonly insurerId?: string;
}

/**
 * Resolves a submission manually, or corrects a wrong result. The store records the operator, the reason and the
 * earlier state.
 * @returns the new state
 * @throws Error if the submission does not exist, is in flight or already has this state, or `insurerId` contradicts
 * the new state
 */
export async function resolveManually(
  parts: ManualResolutionParts,
  resolution: ManualResolution,
): Promise<string> {
  const { as, at, by, id, reason } = resolution;
  refuseContradiction(resolution);
  const insurerId = insurerIdIn(resolution.insurerId);
  const record = await parts.store.find(id);
  if (record === null) throw new Error(`There is no submission ${id}.`);
  const href = submissionAddress(parts.basePath, id);
  const proof = "the operator asked the insurer";
  const refusal =
    as === "succeeded" ? carriedOutUnseen(proof, { href, insurerId }) : notTaken(proof);
  const place = { provider: record.provider, requestId: id };
  const answer = problemAnswer(refusal, place);
  // The operator knows to whom the identifier belongs. Only an identifier that one account has twice is a mistake.
  const conclusion = { state: as, insurerId, unique: "account", answer } as const;
  const settlement = buildSettlement(parts, id, at, conclusion);
  const resolved = await parts.store.resolveManually(settlement, { by, reason });
  if (resolved === "settled") return as;
  throw new Error(
    typeof resolved === "string"
      ? `${id} is ${record.state}: a submission that is in flight, or ${as} already, cannot be resolved.`
      : `${insurerId} belongs to the submission ${resolved.owner.id} already.`,
  );
}

function refuseContradiction({ as, insurerId }: ManualResolution): void {
  if (as === "succeeded" && insurerId === undefined)
    throw new Error("--as succeeded needs --insurer-id: the identifier that the insurer shows.");
  if (as === "failed" && insurerId !== undefined)
    throw new Error("--as failed takes no --insurer-id: the insurer has no such application.");
  if (insurerId !== undefined && insurerIdIn(insurerId) === null)
    throw new Error(
      "--insurer-id must be an identifier: 1 to 200 characters, without line breaks and other control characters.",
    );
}
