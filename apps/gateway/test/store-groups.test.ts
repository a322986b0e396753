import { beforeEach, describe, expect, it } from "vitest";
import type { Begin, Ending, Member } from "../src/store/postgres/drive-group.ts";
import { createGroups, type RunInGroup } from "../src/store/postgres/groups.ts";
import { StoreUnavailableError } from "../src/store/store.ts";

/** The locks of each group that ran, and how to end it. */
let groups: { readonly locks: readonly bigint[]; readonly end: (endings: Endings) => void }[];
type Endings = readonly Ending[] | Error;
/** How to end each operation that ran alone. */
let alone: ((result: string) => void)[];
let run: RunInGroup;
beforeEach(() => {
  groups = [];
  alone = [];
  run = createGroups({
    most: 3,
    waitMs: 60_000,
    alone: <Answer>() =>
      // The tests ask for texts only.
      new Promise<Answer>((resolve) => void alone.push(resolve as (result: string) => void)),
    together: (members: readonly Member[]) =>
      new Promise((resolve, reject) => {
        const locks = members.flatMap((member) => member.locks);
        const end = (endings: Endings): void =>
          endings instanceof Error ? reject(endings) : resolve(endings);
        groups.push({ locks, end });
      }),
  });
});

/** An operation that takes one lock and writes. */
function operation(lock: bigint): Begin<string> {
  return function* () {
    yield { sql: "", values: [], locks: [lock] };
    yield { sql: "", values: [], isSafeAlone: true, isCounted: true };
    return "not run here";
  };
}

/** The group that ran as number `at`, once it has begun. */
async function group(at: number): Promise<(typeof groups)[number]> {
  await expect.poll(() => groups.length).toBeGreaterThan(at);
  return groups[at] ?? expect.fail("There is no such group");
}

describe("a submission that waits alone for a lock", () => {
  it("has others with this lock wait alone too, until it has ended, and no group", async () => {
    const answers = [run(operation(1n)), run(operation(2n))];
    (await group(0)).end(["alone", "again"]);
    const later = [run(operation(1n)), run(operation(3n))];
    expect((await group(1)).locks).toEqual([2n, 3n]);
    (await group(1)).end([{ result: "two" }, { result: "three" }]);
    expect(await Promise.all([answers[1], later[1]])).toEqual(["two", "three"]);
    expect(alone).toHaveLength(2);
    for (const [at, end] of alone.entries()) end(`alone ${at}`);
    expect(await Promise.all([answers[0], later[0]])).toEqual(["alone 0", "alone 1"]);
    const last = run(operation(1n));
    expect((await group(2)).locks).toEqual([1n]);
    (await group(2)).end([{ result: "last" }]);
    expect(await last).toBe("last");
  });
});

describe("groups that are slow", () => {
  it("are three at most: then others wait until one has ended", async () => {
    const answers: Promise<string>[] = [];
    for (const lock of [1n, 2n, 3n, 4n]) answers.push(run(operation(lock)));
    expect((await group(0)).locks).toEqual([1n, 2n, 3n, 4n]);
    const second = run(operation(5n));
    expect((await group(1)).locks).toEqual([5n]);
    const third = run(operation(6n));
    expect((await group(2)).locks).toEqual([6n]);
    const fourth = run(operation(7n));
    (await group(0)).end(["one", "two", "three", "four"].map((result) => ({ result })));
    expect(await Promise.all(answers)).toEqual(["one", "two", "three", "four"]);
    for (const [at, waiting] of [second, third, fourth].entries()) {
      (await group(at + 1)).end([{ result: `${at}` }]);
      expect(await waiting).toBe(`${at}`);
    }
    expect((await group(3)).locks).toEqual([7n]);
  });
});

describe("a group that fails", () => {
  it.each(["22P02", "23505", "26000", "40P01", "42P05", "55P03"])(
    "has its operations run alone if the fault is not one of all: %s",
    async (code) => {
      const answers = [run(operation(1n)), run(operation(2n))];
      (await group(0)).end(new StoreUnavailableError(code, false));
      await expect.poll(() => alone.length).toBe(2);
      for (const end of alone) end("alone");
      expect(await Promise.all(answers)).toEqual(["alone", "alone"]);
    },
  );

  it.each([
    ["08006", false],
    ["57014", false],
    ["timeout", false],
    ["23505", true],
  ])("fails with its operations otherwise: %s, may be written: %s", async (code, mayBeWritten) => {
    const answers = [run(operation(1n)), run(operation(2n))];
    const fault = new StoreUnavailableError(code, mayBeWritten);
    (await group(0)).end(fault);
    for (const answer of await Promise.allSettled(answers))
      expect(answer).toEqual({ status: "rejected", reason: fault });
    expect(alone).toEqual([]);
  });
});
