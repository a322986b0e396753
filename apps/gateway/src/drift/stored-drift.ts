import type { ObservedEndpoint } from "../observation/observation.ts";
import type { Scheduler } from "../scheduled-tasks.ts";
import { type DriftRecord, type DriftStore, OTHER_PLACES } from "../store/drift.ts";
import { StoreUnavailableError } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Difference } from "./difference.ts";

/** The differences that were found, in this process and, once they are stored, in all. */
export interface StoredDrift {
  count(observed: ObservedEndpoint, difference: Difference): void;
  /** Everything that was found and is not forgotten yet. */
  list(): Promise<DriftList>;
  /** Writes what is not written yet, and ends. */
  stop(): Promise<void>;
}

/** The list of differences. */
export interface DriftList {
  readonly items: readonly DriftRecord[];
  /** False while the store is unavailable: then it is what this process has found and not written. */
  readonly complete: boolean;
}

/** What it works with. */
export interface StoredDriftParts {
  /** Null while the store has not been opened. */
  readonly store: () => DriftStore | null;
  readonly time: Pick<Time, "now">;
  readonly every: Scheduler;
}

/** How many differences wait to be written while the store is unavailable. */
const MOST_UNWRITTEN = 1_000;
const WRITE_EVERY_MS = 5_000;
const FORGET_EVERY_MS = 3_600_000;
/** A difference that was not seen for this long is forgotten. */
const KEPT_MS = 90 * 86_400_000;

/** Starts to store differences: counted here, and written together. */
export function startStoredDrift({ every, store, time }: StoredDriftParts): StoredDrift {
  let unwritten = new Map<string, DriftRecord>();
  const add = (record: DriftRecord): void => {
    const exact = keyOf(record);
    const isKept = unwritten.has(exact) || unwritten.size < MOST_UNWRITTEN;
    const kept = isKept ? record : { ...record, pointer: OTHER_PLACES };
    const key = keyOf(kept);
    unwritten.set(key, merged(unwritten.get(key), kept));
  };
  const write = async (): Promise<void> => {
    const opened = store();
    if (opened === null || unwritten.size === 0) return;
    const records = [...unwritten.values()];
    unwritten = new Map();
    try {
      await opened.addDrift(records);
    } catch (error) {
      // Whether it was written is not known of every failure; a count that is too high is the lesser evil.
      for (const record of records) add(record);
      throw error;
    }
  };
  const stops = [
    every("writing drift", WRITE_EVERY_MS, write),
    every("forgetting drift", FORGET_EVERY_MS, async () =>
      store()?.forgetDrift(time.now() - KEPT_MS),
    ),
  ];
  return {
    count({ endpoint, segment }, { breaking, kind, pointer }) {
      const at = time.now();
      add({ segment, endpoint, pointer, kind, breaking, count: 1, firstAt: at, lastAt: at });
    },
    async list() {
      try {
        await write();
        const items = await store()?.listDrift();
        if (items !== undefined) return { items, complete: true };
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
      return { items: [...unwritten.values()], complete: false };
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await write().catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) throw error;
      });
    },
  };
}

function keyOf({ breaking, endpoint, kind, pointer, segment }: DriftRecord): string {
  return JSON.stringify([segment, endpoint, pointer, kind, breaking]);
}

function merged(known: DriftRecord | undefined, added: DriftRecord): DriftRecord {
  return known === undefined
    ? added
    : {
        ...added,
        count: known.count + added.count,
        firstAt: Math.min(known.firstAt, added.firstAt),
        lastAt: Math.max(known.lastAt, added.lastAt),
      };
}
