import { describe, expect, it } from "vitest";
import type { Difference } from "../../src/drift/difference.ts";
import { type StoredDrift, startStoredDrift } from "../../src/drift/stored-drift.ts";
import type { DriftRecord } from "../../src/store/drift.ts";
import { StoreUnavailableError } from "../../src/store/store.ts";

const observed = { segment: "x", endpoint: "readThing", kind: "read" } as const;
const added = (pointer: string): Difference => ({ pointer, kind: "added", breaking: false });

interface Held {
  readonly drift: StoredDrift;
  /** What was written, each batch by itself. */
  readonly written: (readonly DriftRecord[])[];
  readonly forgotten: number[];
  readonly tasks: ReadonlyMap<string, () => Promise<void>>;
  readonly intervals: readonly (readonly [string, number])[];
  /** Why the store fails; it works where it is null. */
  fault: Error | null;
  isOpen: boolean;
  now: number;
  stopped: number;
}

/** Drift that is kept in a store which the test holds, and whose tasks the test runs. */
function held(): Held {
  const written: (readonly DriftRecord[])[] = [];
  const forgotten: number[] = [];
  const tasks = new Map<string, () => Promise<void>>();
  const intervals: (readonly [string, number])[] = [];
  const failing = async (): Promise<void> => {
    if (one.fault !== null) throw one.fault;
  };
  const store = {
    async addDrift(records: readonly DriftRecord[]) {
      await failing();
      written.push(records);
    },
    async listDrift() {
      await failing();
      return written.flat();
    },
    async forgetDrift(before: number) {
      await failing();
      forgotten.push(before);
    },
  };
  const drift = startStoredDrift({
    store: () => (one.isOpen ? store : null),
    time: { now: () => one.now },
    every(task, milliseconds, work) {
      tasks.set(task, work);
      intervals.push([task, milliseconds]);
      return async () => {
        one.stopped += 1;
      };
    },
  });
  const one: Held = {
    drift,
    written,
    forgotten,
    tasks,
    intervals,
    fault: null,
    isOpen: true,
    now: 1_000,
    stopped: 0,
  };
  return one;
}

const record = (pointer: string, more: Partial<DriftRecord> = {}): DriftRecord => ({
  segment: "x",
  endpoint: "readThing",
  pointer,
  kind: "added",
  breaking: false,
  count: 1,
  firstAt: 1_000,
  lastAt: 1_000,
  ...more,
});

describe("differences", () => {
  it("are counted and written together every five seconds, and forgotten after 90 days", async () => {
    const one = held();
    const { drift, forgotten, intervals, tasks, written } = one;
    expect(intervals).toEqual([
      ["writing drift", 5_000],
      ["forgetting drift", 3_600_000],
    ]);
    drift.count(observed, added("/a"));
    one.now = 3_000;
    drift.count(observed, added("/a"));
    // The clock was set back.
    one.now = 500;
    drift.count(observed, added("/a"));
    drift.count(observed, { ...added("/a"), breaking: true });
    drift.count({ ...observed, endpoint: "other" }, added("/a"));
    await tasks.get("writing drift")?.();
    await tasks.get("writing drift")?.();
    expect(written).toEqual([
      [
        record("/a", { count: 3, firstAt: 500, lastAt: 3_000 }),
        record("/a", { breaking: true, firstAt: 500, lastAt: 500 }),
        record("/a", { endpoint: "other", firstAt: 500, lastAt: 500 }),
      ],
    ]);
    one.now = 90 * 86_400_000 + 7;
    await tasks.get("forgetting drift")?.();
    expect(forgotten).toEqual([7]);
  });

  it("are listed as the store has them, with those that were not written yet", async () => {
    const { drift, written } = held();
    drift.count(observed, added("/a"));
    expect(await drift.list()).toEqual({ items: [record("/a")], complete: true });
    expect(written).toHaveLength(1);
  });

  it.each([
    ["is not opened", { isOpen: false }],
    ["is unavailable", { fault: new StoreUnavailableError("ECONNREFUSED", false) }],
  ])(
    "are those of this process while the store %s, and are written afterwards",
    async (_, state) => {
      const one = Object.assign(held(), state);
      const { drift, tasks, written } = one;
      drift.count(observed, added("/a"));
      drift.count(observed, added("/a"));
      const items = [record("/a", { count: 2 })];
      expect(await drift.list()).toEqual({ items, complete: false });
      await tasks
        .get("forgetting drift")?.()
        .catch(() => {});
      expect(written).toEqual([]);
      Object.assign(one, { fault: null, isOpen: true });
      await tasks.get("writing drift")?.();
      expect(written).toEqual([items]);
    },
  );

  it("are at most a thousand while nothing is written: others count together", async () => {
    const one = held();
    one.fault = new StoreUnavailableError("ECONNREFUSED", false);
    for (let index = 0; index < 1_000; index += 1) one.drift.count(observed, added(`/${index}`));
    for (const pointer of ["/more", "/more", "/other", "/7"])
      one.drift.count(observed, added(pointer));
    const { items } = await one.drift.list();
    expect(items).toHaveLength(1_001);
    expect(items[7]).toEqual(record("/7", { count: 2 }));
    expect(items[1_000]).toEqual(record("/*", { count: 3 }));
  });

  it("are written at the end, unless the store is unavailable; other errors are none to hide", async () => {
    const [written, unavailable, broken] = [held(), held(), held()];
    unavailable.fault = new StoreUnavailableError("ECONNREFUSED", false);
    broken.fault = new TypeError("wrong");
    for (const { drift } of [written, unavailable, broken]) drift.count(observed, added("/a"));
    await expect(broken.drift.list()).rejects.toThrow("wrong");
    await written.drift.stop();
    await unavailable.drift.stop();
    await expect(broken.drift.stop()).rejects.toThrow("wrong");
    expect([written.written, unavailable.written]).toEqual([[[record("/a")]], []]);
    expect([written, unavailable, broken].map(({ stopped }) => stopped)).toEqual([2, 2, 2]);
  });
});
