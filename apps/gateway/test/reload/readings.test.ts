import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRecordingReader, type Files } from "../../src/configuration/files.ts";
import { createReadSettings, type Settings } from "../../src/configuration/settings.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { type CurrentSettings, createCurrentSettings } from "../../src/reload/current.ts";
import { type Reloading, type ReloadResult, startReloading } from "../../src/reload/reload.ts";
import type { Time } from "../../src/time.ts";

/** The settings at the start of the process. */
let first: Settings;
/** Settings that differ from the settings at the start. */
let second: Settings;

let folder: string;
/** The path of the configuration file. */
let file: string;
let elapsed: number;
let works: Map<number, () => Promise<void>>;
/** The names of the events so far, in order. */
let eventNames: string[];
let lines: unknown[];
/** Returns the settings that the configuration's files contain. */
let read: () => Promise<Settings>;
let apply: () => Promise<void>;
let fetchKeys: () => Promise<void>;
let faultsWithout: () => Promise<readonly string[]>;
let current: CurrentSettings;
let reloading: Reloading;

async function settingsWith(sections: object): Promise<Settings> {
  const gateway = makeGatewayFolder({
    providers: [{ package: "@insurance-gateway/provider-d", upstream: "sandbox" }],
    // A fixed path, because the test's folder has another path in each run.
    data: "/nowhere",
    ...sections,
  });
  try {
    return await createReadSettings({}, gateway.path)(createRecordingReader());
  } finally {
    gateway.remove();
  }
}

async function readFiles(files: Files): Promise<Settings> {
  files.read(file);
  eventNames.push("read");
  return read();
}

/** Lets the given number of milliseconds pass, and then lets the process check the configuration's files once. */
async function look(after = 0): Promise<void> {
  elapsed += after;
  await works.get(500)?.();
  await new Promise(setImmediate);
}

/** Reloads the configuration, and returns the result. */
async function reloadNow(): Promise<ReloadResult> {
  const result = reloading.reload();
  await look();
  await look(1_000);
  return result;
}

beforeAll(async () => {
  first = await settingsWith({});
  second = await settingsWith({ limits: { bodyBytes: 2_048 } });
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "readings-"));
  file = join(folder, "configuration");
  writeFileSync(file, "one");
  elapsed = 0;
  works = new Map();
  eventNames = [];
  lines = [];
  read = async () => first;
  apply = async () => void eventNames.push("applied");
  fetchKeys = async () => void eventNames.push("keys");
  faultsWithout = async () => [];
  const files = createRecordingReader();
  await readFiles(files);
  eventNames = [];
  const time: Time = {
    now: () => 1_000_000 + elapsed,
    elapsed: () => elapsed,
    every(milliseconds, work) {
      works.set(milliseconds, work);
      return async () => void works.delete(milliseconds);
    },
  };
  current = createCurrentSettings(first, () => time.now());
  reloading = startReloading({
    readSettings: readFiles,
    started: files.digests,
    current,
    async apply(next) {
      await apply();
      current.apply(next);
    },
    fetchKeys: () => fetchKeys(),
    faultsWithout: () => faultsWithout(),
    time,
    logger: createLogger({
      write(line) {
        const { level: _level, time: _time, ...fields } = JSON.parse(line);
        lines.push(fields);
      },
    }),
    observation: { reloaded: (result) => void eventNames.push(result) },
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("settings that cannot be read or applied", () => {
  const refusedWith = (...faults: readonly string[]): unknown => ({
    faults,
    msg: "the configuration was not reloaded; the previous one stays in use",
  });

  it("the gateway refuses changed configuration files if reading the files fails, and logs the error's place in the code", async () => {
    read = async () => {
      throw new RangeError("words of a secret");
    };
    const result = await reloadNow();
    const faults = ["the configuration cannot be read; the log contains the place of the error"];
    expect(result).toEqual({ result: "refused", faults });
    const [failure, ...others] = lines;
    expect(failure).toEqual({
      failure: { kind: "RangeError", places: expect.any(Array) },
      msg: "the configuration cannot be read",
    });
    // The log replaces texts that do not look like a fault, so the test ignores the logged faults.
    expect(others).toEqual([{ ...Object(refusedWith()), faults: expect.anything() }]);
    expect(eventNames).toEqual(["read", "refused"]);
  });

  it("the gateway refuses new settings that cannot be applied, and tries again at the next requested reload", async () => {
    read = async () => second;
    apply = async () => {
      throw new RangeError("words of a secret");
    };
    writeFileSync(file, "two");
    const result = await reloadNow();
    const faults = ["the configuration cannot be used; the log contains the place of the error"];
    expect(result).toEqual({ result: "refused", faults });
    expect(lines[0]).toEqual({
      failure: { kind: "RangeError", places: expect.any(Array) },
      msg: "the configuration cannot be used",
    });
    apply = async () => {};
    const again = await reloadNow();
    expect(again).toEqual({ result: "applied", changed: ["limits.bodyBytes"] });
    expect(current.state()).toEqual({ isNewest: true, appliedAt: 1_002_000 });
  });

  it("the gateway refuses configuration files if the check of the files throws, and still answers the next reload", async () => {
    const moved = await settingsWith({ data: "/elsewhere" });
    read = async () => moved;
    faultsWithout = async () => {
      throw new RangeError("words of a secret");
    };
    const result = await reloadNow();
    const faults = ["the configuration cannot be used; the log contains the place of the error"];
    expect(result).toEqual({ result: "refused", faults });
    read = async () => second;
    const again = await reloadNow();
    expect(again).toMatchObject({ result: "applied" });
  });
});

describe("a requested reload", () => {
  it("a requested reload ends after a new read of the configuration files and a fetch of the issuers' keys", async () => {
    const keys = Promise.withResolvers<void>();
    fetchKeys = () => keys.promise;
    const results: ReloadResult[] = [];
    const ask = (): unknown => reloading.reload().then((result) => results.push(result));
    ask();
    ask();
    await look();
    await look(1_000);
    expect([eventNames, results]).toEqual([["read", "unchanged"], []]);
    ask();
    await look();
    keys.resolve();
    await look();
    expect([eventNames, results]).toEqual([
      ["read", "unchanged", "read"],
      [{ result: "unchanged" }, { result: "unchanged" }],
    ]);
    await look(1_000);
    expect(results).toHaveLength(3);
  });
});

it("the gateway's stop waits until a read of the configuration files in progress has ended", async () => {
  const reading = Promise.withResolvers<Settings>();
  read = () => reading.promise;
  void reloading.reload();
  await new Promise(setImmediate);
  let isOver = false;
  const over = reloading.stop().then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect([isOver, works.size]).toEqual([false, 0]);
  reading.resolve(first);
  await over;
});
