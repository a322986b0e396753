import type { Logger } from "../operator/logging/logger.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type {
  ClaimRule,
  NewSubmission,
  Settlement,
  SettleResult,
  SubmissionRecord,
} from "../store/record.ts";
import type { Moment } from "../store/running-time.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { StoreClock } from "./store-clock.ts";

/**
 * Stores the results of sent submissions. A failed write is kept in memory, and repeated when the store is available.
 * If the process ends before the write succeeds, the submission's lease ends and reconciliation finds the result.
 */
export type Recorder = ReturnType<typeof createRecorder>;

/** Claim rule for a submission that the store has lost after the claim: nothing prevents a second claim. */
const RESTORE_RULE: ClaimRule = { compared: false, succeededSince: 0, quota: null };

/**
 * Corrects a submission that is stored as failed, because a proof shows that the insurer executed the submission. The
 * store records the old and the new state, and never an earlier time than the time of the corrected result.
 * @param found - the stored submission
 * @param settlement - the result from the insurer's answer
 * @param now - the moment of the correction
 * @param reason - the proof, as text
 * @returns true after the correction; false if the submission is no longer stored as failed
 */
export async function correctFailed(
  store: Pick<SubmissionStore, "correctFailed">,
  found: Pick<SubmissionRecord, "updatedAt">,
  settlement: Settlement,
  now: Moment,
  reason: string,
): Promise<boolean> {
  // Somebody may have set the store's clock back after the store recorded the failure.
  const at = Math.max(now.at, found.updatedAt);
  const correction: Settlement = {
    ...settlement,
    at,
    running: now.running,
    answerUntil: settlement.answerUntil + at - settlement.at,
    forgetAt: settlement.forgetAt + now.running - settlement.running,
  };
  const corrected = await store.correctFailed(correction, { by: "insurance-gateway", reason });
  return corrected === "settled";
}

/** Reason of a correction after a late answer of the insurer. */
export const ANSWERED_LATE_REASON = "the insurer's answer arrived after it was settled";

/** Reports whether exactly this settlement is stored for a submission. */
function hasSettlement(
  { insurerId, state, updatedAt }: SubmissionRecord,
  settlement: Settlement,
): boolean {
  return (
    state === settlement.state && insurerId === settlement.insurerId && updatedAt === settlement.at
  );
}

/** Creates the recorder of a store. */
export function createRecorder(
  store: SubmissionStore,
  logger: Logger,
  clock: Pick<StoreClock, "now">,
) {
  const unwritten = new Map<string, () => Promise<unknown>>();
  async function write<Result>(id: string, work: () => Promise<Result>): Promise<Result | "later"> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      logger.error({ submissionId: id, detail: error.detail }, "the store is not available");
      unwritten.set(id, work);
      return "later";
    }
  }

  function putLast(id: string): void {
    const work = unwritten.get(id);
    if (work === undefined) return;
    unwritten.delete(id);
    unwritten.set(id, work);
  }

  async function restore(submission: NewSubmission, settlement: Settlement): Promise<boolean> {
    const { id } = submission;
    if ((await store.find(id)) !== null) return false;
    logger.error({ submissionId: id }, "the store has lost a submission; it is written again");
    const { claimed } = await store.claim(submission, RESTORE_RULE);
    return claimed && (await store.settle(settlement)) === "settled";
  }

  async function settleLate(settlement: Settlement, submission: NewSubmission): Promise<void> {
    const { at, id, running } = settlement;
    const settled = await store.settle(settlement);
    if (settled === "settled" || (await restore(submission, settlement))) return;
    const found = await store.find(id);
    // The first write was successful, although the reply to this write was lost.
    if (found !== null && hasSettlement(found, settlement)) return;
    logger.error(
      { submissionId: id },
      "a submission was concluded before its insurer's answer could be stored",
    );
    const isDenied = settlement.state === "succeeded" && found?.state === "failed";
    if (
      isDenied &&
      (await correctFailed(store, found, settlement, clock.now(), ANSWERED_LATE_REASON))
    )
      return;
    // If the submission is open, the answer names another submission's item, and proves nothing about this submission.
    await store.markUnknown(id, { at, running }, running, settlement.insurerId);
  }

  return {
    /**
     * Stores a submission again with its result if the store has lost the submission, for example by a failover to an
     * older copy. Returns false if the store still has the submission, or refuses to store it.
     */
    restore,
    /** Stores a submission's result. Returns `later` if the store is not available. */
    async settle(
      settlement: Settlement,
      submission: NewSubmission,
    ): Promise<SettleResult | "later"> {
      const settled = await write(settlement.id, () => store.settle(settlement));
      if (settled === "later")
        unwritten.set(settlement.id, () => settleLate(settlement, submission));
      return settled;
    },
    /** Deletes a claim for which nothing was sent. */
    async withdraw(id: string): Promise<void> {
      await write(id, () => store.withdraw(id));
    },
    /** @param answeredId - the identifier in an answer that may belong to another submission */
    async markUnknown(
      id: string,
      moment: Moment,
      nextQueryAt: number,
      answeredId: string | null = null,
    ): Promise<void> {
      await write(id, () => store.markUnknown(id, moment, nextQueryAt, answeredId));
    },
    /** Repeats the failed writes; throws StoreUnavailableError while a write fails. */
    async retry(): Promise<void> {
      let failure: StoreUnavailableError | undefined;
      // All writes are tried, because a write that is too large for a full disk must not stop the small writes.
      for (const [id, work] of unwritten)
        try {
          await work();
          // Keep a newer write for the same submission.
          if (unwritten.get(id) === work) unwritten.delete(id);
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error;
          // If the store does not answer, each write would wait. If only this write is blocked, the other writes are
          // tried first next time.
          if (error.mayBeWritten) {
            putLast(id);
            throw error;
          }
          failure = error;
        }
      if (failure !== undefined) throw failure;
    },
  };
}
