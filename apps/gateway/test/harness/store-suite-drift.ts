import { describe, expect, it } from "vitest";
import { type DriftRecord, OTHER_PLACES } from "../../src/store/drift.ts";
import type { StoreUnderTest } from "./store-suite.ts";

function difference(more: Partial<DriftRecord> = {}): DriftRecord {
  return {
    segment: "motor",
    endpoint: "createApplication",
    pointer: "/holder/email",
    kind: "added",
    breaking: false,
    count: 2,
    firstAt: 1_000,
    lastAt: 2_000,
    ...more,
  };
}

/** The differences of insurers' answers, and the examples that are recorded of them. */
export function describeDrift(current: () => StoreUnderTest): void {
  describe("differences of insurers' answers", () => {
    it("are added up over all processes, with the first and the last time", async () => {
      const { other, store } = current();
      await store.addDrift([difference()]);
      await Promise.all([
        other.addDrift([difference({ count: 3, firstAt: 500, lastAt: 1_500 })]),
        store.addDrift([difference({ count: 5, firstAt: 1_500, lastAt: 9_000 })]),
      ]);
      expect(await other.listDrift()).toEqual([
        difference({ count: 10, firstAt: 500, lastAt: 9_000 }),
      ]);
    });

    it("are listed breaking first, then the last seen first", async () => {
      const { store } = current();
      const breaking = difference({ breaking: true, kind: "missing", lastAt: 1_500 });
      const newer = difference({ pointer: "/status", kind: "enum", lastAt: 3_000 });
      await store.addDrift([difference(), newer, breaking]);
      expect(await store.listDrift()).toEqual([breaking, newer, difference()]);
    });

    it("are kept apart up to a number; beyond it only their number is counted", async () => {
      const { store } = current();
      const names = Array.from({ length: 510 }, (_, index) => `/new${index}`);
      await store.addDrift(names.map((pointer) => difference({ pointer, count: 1 })));
      await store.addDrift([difference({ segment: "life", count: 1 })]);
      const listed = await store.listDrift();
      expect(listed).toHaveLength(502);
      expect(listed.find(({ pointer }) => pointer === OTHER_PLACES)).toMatchObject({ count: 10 });
    });

    it("are forgotten when they were not seen for long", async () => {
      const { store } = current();
      const recent = difference({ pointer: "/status", lastAt: 5_000 });
      await store.addDrift([difference(), recent]);
      await store.forgetDrift(3_000);
      expect(await store.listDrift()).toEqual([recent]);
    });
  });

  describe("recorded examples", () => {
    const order = { segment: "motor", endpoint: "createApplication", until: 5_000, wanted: 2 };
    const example = (body: string): { status: number; body: string } => ({ status: 201, body });

    it("are kept while their recording runs: each once, so many at most", async () => {
      const { other, store } = current();
      expect(await other.startRecording(order, 1_000)).toBe(true);
      expect(await store.recordings(2_000)).toEqual([order]);
      for (const body of ["1", "1", "2", "3"])
        await store.addExample("motor", "createApplication", example(body));
      await store.addExample("motor", "searchApplications", example("1"));
      const kept = await other.examples("motor", "createApplication");
      expect(kept.map(({ body }) => body).toSorted()).toEqual(["1", "2"]);
      expect(await other.examples("motor", "searchApplications")).toEqual([]);
      await other.endRecording("motor", "createApplication");
      expect(await store.recordings(2_000)).toEqual([]);
      expect(await store.examples("motor", "createApplication")).toEqual([]);
    });

    it("have one recording of an endpoint at a time, until its time is over", async () => {
      const { other, store } = current();
      await store.startRecording(order, 1_000);
      expect(await other.startRecording(order, 4_000)).toBe(false);
      expect(await store.recordings(5_001)).toEqual([]);
      expect(await other.startRecording({ ...order, until: 9_000 }, 5_001)).toBe(true);
    });

    it("are deleted when nobody fetches them", async () => {
      const { store } = current();
      await store.startRecording(order, 1_000);
      await store.addExample("motor", "createApplication", example("1"));
      await store.forgetRecordings(5_000);
      expect(await store.examples("motor", "createApplication")).toHaveLength(1);
      await store.forgetRecordings(5_001);
      expect(await store.examples("motor", "createApplication")).toEqual([]);
    });
  });
}
