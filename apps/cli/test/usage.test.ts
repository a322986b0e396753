import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CountedCalls, keep, sampleSubmission } from "./gateway.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

/** A time shortly after midnight in Athens, where the next month has already begun. */
const NOW = Date.parse("2026-11-30T22:30:00Z");

let place: StoreFolder;
beforeAll(async () => {
  place = await makeStoreFolder({ accounts: { timeZone: "Europe/Athens" } });
  const calls = [
    counted("2026-10-31", { calls: 9 }),
    counted("2026-11-01", { calls: 2 }),
    counted("2026-11-30", { calls: 3, failedCalls: 1 }),
    counted("2026-12-01", { calls: 4 }),
    counted("2026-12-01", { calls: 5, account: "north" }),
    counted("2026-12-02", { calls: 6 }),
  ];
  await place.store.addCounts({ calls, attempts: [] }, []);
  const states = [
    "succeeded",
    "succeeded",
    "failed",
    "outcome_unknown",
    "needs_review",
    "in_flight",
  ] as const;
  for (const state of states)
    await keep(
      place.store,
      state,
      sampleSubmission({ day: "2026-12-01", account: "south", segment: "provider-d" }),
    );
});
afterAll(() => place.remove());
beforeEach(() => {
  const mock = vi.spyOn(Date, "now").mockReturnValue(NOW);
  return () => mock.mockRestore();
});

function counted(day: string, more: Partial<CountedCalls>): CountedCalls {
  return {
    day,
    account: "default",
    segment: "provider-a",
    endpoint: "listBrands",
    kind: "lookup",
    calls: 1,
    failedCalls: 0,
    ...more,
  };
}

const HEAD =
  "day,account,provider,endpoint,kind,calls,failedCalls,submissions,succeeded,failed,unknown,inFlight,notSent";
const lines: Readonly<Record<string, string>> = {
  october: "2026-10-31,default,provider-a,listBrands,lookup,9,0,0,0,0,0,0,0",
  first: "2026-11-01,default,provider-a,listBrands,lookup,2,0,0,0,0,0,0,0",
  last: "2026-11-30,default,provider-a,listBrands,lookup,3,1,0,0,0,0,0,0",
  today: "2026-12-01,default,provider-a,listBrands,lookup,4,0,0,0,0,0,0,0",
  north: "2026-12-01,north,provider-a,listBrands,lookup,5,0,0,0,0,0,0,0",
  south: "2026-12-01,south,provider-d,createApplication,submission,0,0,6,2,1,2,1,0",
  tomorrow: "2026-12-02,default,provider-a,listBrands,lookup,6,0,0,0,0,0,0,0",
};

describe("the command `usage`", () => {
  it.each([
    [[], ["today", "north", "south"]],
    [
      ["--to", "2026-11-30"],
      ["first", "last"],
    ],
    [
      ["--from", "2026-10-31"],
      ["october", "first", "last", "today", "north", "south"],
    ],
    [
      ["--from", "2026-11-30", "--to", "2026-12-02"],
      ["last", "today", "north", "south", "tomorrow"],
    ],
    [["--from", "2026-12-02", "--to", "2026-12-02"], ["tomorrow"]],
    [["--account", "north"], ["north"]],
    [
      ["--from", "2026-11-30", "--account", "default"],
      ["last", "today"],
    ],
    [["--to", "2026-12-31", "--from", "2026-12-03"], []],
  ])(
    "the command `usage` prints the calls of the selected account and days, with days in the configured time zone: %j",
    async (flags, names) => {
      const { code, stdout } = await place.run(["usage", ...flags]);
      expect([code, stdout]).toEqual([
        0,
        `${[HEAD, ...names.map((name) => lines[name])].join("\n")}\n`,
      ]);
    },
  );

  it.each([
    [
      ["--from", "2026-11-30"],
      [3, 4, 5, 0],
    ],
    [["--account", "north"], [5]],
    [["--account", "nobody"], []],
  ])(
    "the command `usage` prints JSON with the same names as the columns of the CSV output: %j",
    async (flags, calls) => {
      const { stdout } = await place.run(["usage", "--format", "json", ...flags]);
      const rows: { calls: number }[] = JSON.parse(stdout);
      expect(rows.map((row) => row.calls)).toEqual(calls);
      for (const row of rows) expect(Object.keys(row).join(",")).toBe(HEAD);
    },
  );

  it.each([
    [["--from", "2026-02-30"], "must be a day"],
    [["--from", "2026-1-1"], "must be a day"],
    [["--to", "tomorrow"], "must be a day"],
    [["--to", "2026-13-01"], "must be a day"],
    [["--from", "2026-11-02", "--to", "2026-11-01"], "--from must not be after --to"],
    [["--format", "xml"], "Allowed choices are csv, json"],
  ])("the command `usage` refuses an invalid day or format: %j", async (flags, words) => {
    const { code, stderr, stdout } = await place.run(["usage", ...flags]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(words)]);
  });
});
