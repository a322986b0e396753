import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Insurer, json, startInsurer } from "./gateway.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

let place: StoreFolder;
let operator: Insurer;
beforeAll(async () => {
  place = await makeStoreFolder();
  operator = await startInsurer(json(200, { items: [] }));
});
beforeEach(() => {
  operator.arrivals.length = 0;
});
afterAll(async () => {
  await place.remove();
  await operator.close();
});

const example = (number: number): { status: number; body: string } => ({
  status: 200 + number,
  body: JSON.stringify({ number }),
});

function scenario(number: number): object {
  return {
    name: `RECORDED_SEARCH_APPLICATIONS_${number}`,
    endpoint: "searchApplications",
    effect: `${200 + number}, as the insurer answered, with synthetic values`,
    status: 200 + number,
    body: { number },
  };
}

const record = (...flags: string[]): ReturnType<StoreFolder["run"]> =>
  place.run(["record", "provider-d", "searchApplications", "--from", operator.baseUrl, ...flags]);

describe("the command `record`", () => {
  it("the command `record` waits for the requested number of answers, and prints these answers as scenarios", async () => {
    const recorded = [1, 2, 3].map(example);
    operator.behaviour = (...given) =>
      json(200, { items: recorded.slice(0, operator.arrivals.length) })(...given);
    const { code, stderr, stdout } = await record("--count", "2", "--minutes", "3");
    expect([code, JSON.parse(stdout)]).toEqual([0, [scenario(1), scenario(2)]]);
    expect(stderr).toBe("Waiting for 2 different answers; Ctrl-C ends the recording earlier.\n");
    expect(operator.arrivals.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/examples/provider-d/searchApplications",
      "GET /api/examples/provider-d/searchApplications",
    ]);
  });

  it.each([["SIGINT"], ["SIGTERM"]] as const)(
    "the command `record` writes the received answers to a file if a signal ends the command: %s",
    async (signal) => {
      const listening = process.listenerCount(signal);
      operator.behaviour = (...given) => {
        if (operator.arrivals.length === 1) process.emit(signal);
        json(200, { items: [example(1)] })(...given);
      };
      const out = join(place.folder.path, `${signal}.json`);
      const { code, stdout } = await record("--out", out);
      expect([code, stdout]).toEqual([0, `Wrote 1 scenarios to ${out}.\n`]);
      expect(readFileSync(out, "utf8")).toBe(`${JSON.stringify([scenario(1)], null, 2)}\n`);
      expect(process.listenerCount(signal)).toBe(listening);
    },
  );

  it.each([
    [["provider-x", "searchApplications"], "unknown provider 'provider-x'"],
    [["provider-d", "nothing"], "provider-d has no endpoint nothing."],
    [["provider-d", "toString"], "provider-d has no endpoint toString."],
    [["provider-d"], "missing required argument 'endpoint'"],
    [
      ["provider-d", "nothing", "--count", "0"],
      "--count is invalid. It must be a whole number from 1 to 100.",
    ],
    [["provider-d", "nothing", "--count", "101"], "from 1 to 100."],
    [["provider-d", "nothing", "--count", "1.5"], "from 1 to 100."],
    [["provider-d", "nothing", "--count", "100"], "has no endpoint"],
    [["provider-d", "nothing", "--minutes", "1441"], "from 1 to 1440."],
    [["provider-d", "nothing", "--minutes", "1440", "--count", "1"], "has no endpoint"],
  ])(
    "the command `record` refuses an unknown endpoint or an invalid number: %j",
    async (parameters, words) => {
      const { code, stderr } = await place.run(["record", ...parameters]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    },
  );
});
