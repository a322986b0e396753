import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordingOrder } from "../../src/store/recordings.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

let place: StoreFolder;
beforeAll(async () => {
  place = await makeStoreFolder();
});
afterAll(() => place.remove());

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

/** Runs the command while a gateway records so many examples; `then` is called when they are there. */
async function record(flags: readonly string[], examples: number, then: () => unknown = () => {}) {
  const reported = Promise.withResolvers<string>();
  const ended = place.run(["record", "provider-d", "searchApplications", ...flags], {
    reported: reported.resolve,
  });
  const said = await Promise.race([reported.promise, ended.then(({ stderr }) => stderr)]);
  let orders: readonly RecordingOrder[] = [];
  while (orders.length === 0) {
    await setImmediate();
    orders = await place.store.recordings(Date.now());
  }
  for (let number = 1; number <= examples; number++)
    await place.store.addExample("provider-d", "searchApplications", example(number));
  then();
  return {
    said,
    order: orders[0],
    ...(await ended),
    left: await place.store.recordings(Date.now()),
  };
}

describe("insurance-gateway record", () => {
  it("waits for as many answers as are wanted, and prints them as scenarios", async () => {
    const started = Date.now();
    const { code, left, order, said, stdout } = await record(["--count", "2", "--minutes", "3"], 2);
    expect([code, JSON.parse(stdout), left]).toEqual([0, [scenario(1), scenario(2)], []]);
    expect(said).toBe("Waiting for 2 different answers; Ctrl-C ends it earlier.\n");
    expect(order).toMatchObject({
      segment: "provider-d",
      endpoint: "searchApplications",
      wanted: 2,
    });
    expect(Math.abs((order?.until ?? 0) - started - 180_000)).toBeLessThan(60_000);
  });

  it.each([["SIGINT"], ["SIGTERM"]] as const)(
    "ends with what there is at %s, and writes it to a file",
    async (signal) => {
      const listening = process.listenerCount(signal);
      const out = join(place.folder.path, `${signal}.json`);
      const { code, left, order, stdout } = await record(["--out", out], 1, () =>
        process.emit(signal),
      );
      expect([code, stdout, left]).toEqual([0, `1 scenarios are in ${out}.\n`, []]);
      expect(readFileSync(out, "utf8")).toBe(`${JSON.stringify([scenario(1)], null, 2)}\n`);
      expect(order).toMatchObject({ wanted: 5 });
      expect(process.listenerCount(signal)).toBe(listening);
    },
  );

  it("records an endpoint once at a time", async () => {
    const order = {
      segment: "provider-d",
      endpoint: "searchApplications",
      until: Date.now() + 60_000,
      wanted: 1,
    };
    await place.store.startRecording(order, Date.now());
    const { code, stderr } = await place.run(["record", "provider-d", "searchApplications"]);
    await place.store.endRecording("provider-d", "searchApplications");
    expect([code, stderr]).toEqual([
      1,
      "Answers to provider-d searchApplications are being recorded already.\n",
    ]);
  });

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
  ])("refuses what it cannot record: %j", async (parameters, words) => {
    const { code, stderr } = await place.run(["record", ...parameters]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
