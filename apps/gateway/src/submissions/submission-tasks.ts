import type { Logger } from "../operator/logging/logger.ts";
import type { Scheduler } from "../scheduled-tasks.ts";
import type { StoreState, SubmissionStore } from "../store/store.ts";
import type { Recorder } from "./recorder.ts";
import { COUNT_INTERVAL_MS, createRunningTimeTask, type StoreClock } from "./store-clock.ts";

/** The parts of the gateway that the scheduled tasks need. */
export interface SubmissionTasksParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly watch: StoreWatch;
  readonly stopping: AbortSignal;
  readonly clock: StoreClock;
  readonly logger: Logger;
}

const TASK_INTERVAL_MS = 1_000;
const DELETE_INTERVAL_MS = 60_000;
/** Maximum of submissions that one transaction deletes, because other transactions wait until the deletion ends. */
const MAX_DELETED_PER_TRANSACTION = 500;

/**
 * Starts the tasks that count the running time, repeat failed writes, end leases and delete expired data.
 * @returns a function that stops the tasks, and waits for the running tasks
 */
export function startSubmissionTasks(
  parts: SubmissionTasksParts,
  every: Scheduler,
): () => Promise<void> {
  const { clock, logger, recorder } = parts;
  const stops = [
    every("running time", COUNT_INTERVAL_MS, createRunningTimeTask(clock, logger)),
    every("writing endings", TASK_INTERVAL_MS, () => recorder.retry()),
    every("leases", TASK_INTERVAL_MS, () => expireLeases(parts)),
    every("forgetting", DELETE_INTERVAL_MS, () => forget(parts)),
    every("store", TASK_INTERVAL_MS, () => parts.watch.look()),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function expireLeases({ clock, logger, store }: SubmissionTasksParts): Promise<void> {
  const moment = clock.now();
  const expired = await store.expireLeases(moment.running, moment);
  if (expired > 0)
    logger.warn(
      { submissions: expired },
      "submissions have an unknown outcome because their process ended",
    );
}

async function forget({ clock, stopping, store }: SubmissionTasksParts): Promise<void> {
  for (;;) {
    const forgotten = await store.forget(clock.now(), MAX_DELETED_PER_TRANSACTION);
    if (forgotten < MAX_DELETED_PER_TRANSACTION || stopping.aborted) return;
  }
}

/** A watch on a store's state. */
type StoreWatch = ReturnType<typeof watchStore>;

/** Creates a watch on an open store, which logs changes of the store's state. */
export function watchStore(store: SubmissionStore, logger: Logger) {
  let seen: StoreState = "open";
  let isRestored = false;
  const state = (): StoreState => {
    if (store.isMoved()) return "files_moved";
    return isRestored ? "restored" : "open";
  };
  return {
    state,
    /** Reads the store's state, and logs a changed state; throws StoreUnavailableError. */
    async look(): Promise<void> {
      if (!store.isMoved()) isRestored = (await store.mark()) === "restored";
      const now = state();
      if (now === seen) return;
      if (seen === "files_moved") logger.info("the files of the store are in their places again");
      if (now === "files_moved")
        logger.error(
          "the files of the store were removed, replaced, overwritten or linked, so submissions are refused; undo the change, or if files were overwritten, restore the newest files and restart the gateway",
        );
      if (now === "restored")
        logger.warn(
          "the store was restored or has lost files; submissions that are not in the store are refused until the command `submissions accept-restore`",
        );
      else if (seen === "restored") logger.info("the restored store was accepted");
      seen = now;
    },
  };
}
