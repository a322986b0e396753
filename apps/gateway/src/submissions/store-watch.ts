import type { Logger } from "../operator/logging/logger.ts";
import type { StoreState, SubmissionStore } from "../store/store.ts";

/** Notices when the store's state changes, and logs it. */
export interface StoreWatch {
  readonly state: () => StoreState;
  /** Looks at the store; throws StoreUnavailableError. */
  look(): Promise<void>;
}

/** Watches a store that is open. */
export function watchStore(store: SubmissionStore, logger: Logger): StoreWatch {
  let seen: StoreState = "open";
  let isRestored = false;
  const state = (): StoreState => {
    if (store.isMoved()) return "files_moved";
    return isRestored ? "restored" : "open";
  };
  return {
    state,
    async look() {
      if (!store.isMoved()) isRestored = (await store.mark()) === "restored";
      const now = state();
      if (now === seen) return;
      if (seen === "files_moved") logger.info("the files of the store are in their places again");
      if (now === "files_moved")
        logger.error(
          "the files of the store were removed, replaced, overwritten or linked; submissions are refused: undo that or, if files were overwritten, bring the newest ones back and restart the gateway",
        );
      if (now === "restored")
        logger.warn(
          "the store was restored or has lost files; submissions that it does not know are refused until `submissions accept-restore`",
        );
      else if (seen === "restored") logger.info("the restored store was accepted");
      seen = now;
    },
  };
}
