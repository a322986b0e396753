import type { Logger } from "../logging/logger.ts";
import type { Settlement } from "../store/record.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";

/**
 * Writes what is known about a submission that has been sent. What cannot be written now is kept in memory and written
 * as soon as the store is back; should the process end before, the lease brings the submission to a lookup.
 */
export interface Recorder {
  /** `false` when it was settled otherwise before; `later` when the store is not available. */
  settle(settlement: Settlement): Promise<boolean | "later">;
  /** Takes a claim back that nothing was sent for. */
  withdraw(id: string): Promise<void>;
  markUnknown(id: string, at: number, nextQueryAt: number): Promise<void>;
  /** Writes what is still to be written. */
  retry(): Promise<void>;
}

/** Makes the recorder of a store. */
export function createRecorder(store: SubmissionStore, logger: Logger): Recorder {
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
  return {
    settle: (settlement) => write(settlement.id, () => store.settle(settlement)),
    async withdraw(id) {
      await write(id, () => store.withdraw(id));
    },
    async markUnknown(id, at, nextQueryAt) {
      await write(id, () => store.markUnknown(id, at, nextQueryAt));
    },
    async retry() {
      let failure: StoreUnavailableError | undefined;
      // Every one is tried: what is too large for a full disk must not hold up what is small.
      for (const [id, work] of unwritten)
        try {
          const written = await work();
          if (written === false)
            logger.error(
              { submissionId: id },
              "a submission was settled before its insurer's answer could be written",
            );
          // What was put there meanwhile is newer.
          if (unwritten.get(id) === work) unwritten.delete(id);
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error;
          failure = error;
        }
      if (failure !== undefined) throw failure;
    },
  };
}
