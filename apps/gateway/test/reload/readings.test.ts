import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { createRecordingReader, type Files } from "../../src/configuration/files.ts";
import { createReadSettings, type Settings } from "../../src/configuration/settings.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { type CurrentSettings, createCurrentSettings } from "../../src/reload/current.ts";
import { type Reloading, type ReloadResult, startReloading } from "../../src/reload/reload.ts";
import type { Time } from "../../src/time.ts";

const MINUTE = 60_000;

/** The settings at the start of the process. */
let first: Settings;
/** Settings that differ from the settings at the start. */
let second: Settings;

let folder: string;
let elapsed: number;
let works: Map<number, () => Promise<void>>;
/** The events of the reloads, in the order of their arrival. */
let events: unknown[];
let lines: unknown[];
/** Returns the settings that the configuration's files contain. */
let read: () => Promise<Settings>;
let apply: () => Promise<void>;
let fetchKeys: () => Promise<void>;
let faultsWithout: () => Promise<readonly string[]>;
let names: readonly string[];
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
  for (const name of names) files.read(join(folder, name));
  events.push("read");
  return read();
}

/** Lets the given number of milliseconds pass, and then lets the process check the configuration's files once. */
async function look(after = 0): Promise<void> {
  elapsed += after;
  await works.get(500)?.();
  await new Promise(setImmediate);
}

/** Writes one of the files from which the settings are read. */
function write(content: string, name = "a"): void {
  writeFileSync(join(folder, name), content);
}

beforeAll(async () => {
  first = await settingsWith({});
  second = await settingsWith({ limits: { bodyBytes: 2_048 } });
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "readings-"));
  write("one");
  elapsed = 0;
  works = new Map();
  events = [];
  lines = [];
  names = ["a"];
  read = async () => first;
  apply = async () => void events.push("applied");
  fetchKeys = async () => void events.push("keys");
  faultsWithout = async () => [];
  const files = createRecordingReader();
  await readFiles(files);
  events = [];
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
    observation: { reloaded: (result) => void events.push(result) },
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a changed configuration file", () => {
  it("the gateway looks for changed files once a minute, and applies a change if the files are unchanged a second later", async () => {
    expect([...works.keys()]).toEqual([500]);
    await look();
    expect([events, current.state()]).toEqual([[], { isNewest: true, appliedAt: 1_000_000 }]);
    write("two");
    read = async () => second;
    await look(59_999);
    expect(events).toEqual([]);
    await look(1);
    expect([events, current.state().isNewest]).toEqual([["read"], false]);
    await look(999);
    expect(events).toEqual(["read"]);
    await look(1);
    expect(events).toEqual(["read", "applied", "applied"]);
    expect(current.state()).toEqual({ isNewest: true, appliedAt: 1_061_000 });
    expect(lines).toEqual([{ keys: ["limits.bodyBytes"], msg: "the configuration was reloaded" }]);
    await look(MINUTE);
    expect(events, "no event follows while the files stay unchanged").toHaveLength(3);
  });

  it("the gateway reads a configuration file again if the file changes again before the gateway applies the first change", async () => {
    write("two");
    await look(MINUTE);
    write("three");
    await look(1_000);
    await look(999);
    expect(events).toEqual(["read", "read"]);
    await look(1);
    expect(events).toEqual(["read", "read", "unchanged"]);
  });

  it("the gateway reads a changed configuration file only once if the change has no effect", async () => {
    write("two");
    await look(MINUTE);
    await look(1_000);
    await look(MINUTE);
    expect([events, lines, current.state()]).toEqual([
      ["read", "unchanged"],
      [],
      { isNewest: true, appliedAt: 1_000_000 },
    ]);
  });
});

describe("files that cannot be applied", () => {
  const refusedWith = (...faults: readonly string[]): unknown => ({
    faults,
    msg: "the configuration was not reloaded; the previous one stays in use",
  });

  it("the gateway refuses invalid configuration files with every fault, and reads the files again only after another change", async () => {
    write("two");
    read = async () => {
      throw new ConfigurationError("file", ["data: is wrong", "limits: is wrong"]);
    };
    await look(MINUTE);
    await look(1_000);
    await look(MINUTE);
    expect([events, lines]).toEqual([
      ["read", "refused"],
      [refusedWith("data: is wrong", "limits: is wrong")],
    ]);
    expect(current.state()).toEqual({ isNewest: false, appliedAt: 1_000_000 });
    write("one");
    read = async () => first;
    await look(MINUTE);
    await look(1_000);
    expect(events).toEqual(["read", "refused", "read", "unchanged"]);
    expect(current.state().isNewest).toBe(true);
  });

  it("the gateway refuses changed configuration files if reading the files fails, and logs the place of the error", async () => {
    read = async () => {
      throw new RangeError("words of a secret");
    };
    const result = reloading.reload();
    await look();
    await look(1_000);
    const faults = ["the configuration cannot be read; the log contains the place of the error"];
    expect(await result).toEqual({ result: "refused", faults });
    const [failure, ...others] = lines;
    expect(failure).toEqual({
      failure: { kind: "RangeError", places: expect.any(Array) },
      msg: "the configuration cannot be read",
    });
    // The log replaces texts that do not look like a fault, so the test ignores them.
    expect(others).toEqual([{ ...Object(refusedWith()), faults: expect.anything() }]);
    expect(events).toEqual(["read", "refused"]);
  });

  it("the gateway refuses new settings that cannot be applied, and tries again at the next requested reload", async () => {
    read = async () => second;
    apply = async () => {
      throw new RangeError("words of a secret");
    };
    write("two");
    const result = reloading.reload();
    await look();
    await look(1_000);
    const faults = ["the configuration cannot be used; the log contains the place of the error"];
    expect(await result).toEqual({ result: "refused", faults });
    expect(lines[0]).toEqual({
      failure: { kind: "RangeError", places: expect.any(Array) },
      msg: "the configuration cannot be used",
    });
    apply = async () => {};
    const again = reloading.reload();
    await look();
    await look(1_000);
    expect(await again).toEqual({ result: "applied", changed: ["limits.bodyBytes"] });
    expect(current.state()).toEqual({ isNewest: true, appliedAt: 1_002_000 });
  });

  it("the gateway refuses a changed setting that needs a new process, and reports the reason", async () => {
    const moved = await settingsWith({ data: "/elsewhere" });
    read = async () => moved;
    const result = reloading.reload();
    await look();
    await look(1_000);
    expect(await result).toEqual({
      result: "refused",
      faults: ["data: needs a new process; the stored data are there"],
    });
  });

  it("the gateway refuses configuration files if the check of the files throws, and still answers the next reload", async () => {
    const moved = await settingsWith({ data: "/elsewhere" });
    read = async () => moved;
    faultsWithout = async () => {
      throw new RangeError("words of a secret");
    };
    const result = reloading.reload();
    await look();
    await look(1_000);
    const faults = ["the configuration cannot be used; the log contains the place of the error"];
    expect(await result).toEqual({ result: "refused", faults });
    read = async () => second;
    const again = reloading.reload();
    await look();
    await look(1_000);
    expect(await again).toMatchObject({ result: "applied" });
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
    expect([events, results]).toEqual([["read", "unchanged"], []]);
    ask();
    await look();
    keys.resolve();
    await look();
    expect([events, results]).toEqual([
      ["read", "unchanged", "read"],
      [{ result: "unchanged" }, { result: "unchanged" }],
    ]);
    await look(1_000);
    expect(results).toHaveLength(3);
  });

  it("a refused reload and a reload after a file change fetch no issuers' keys", async () => {
    write("two");
    await look(MINUTE);
    await look(1_000);
    read = async () => {
      throw new ConfigurationError("file", ["data: is wrong"]);
    };
    const result = reloading.reload();
    await look();
    await look(1_000);
    expect(await result).toEqual({ result: "refused", faults: ["data: is wrong"] });
    expect(events).toEqual(["read", "unchanged", "read", "refused"]);
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
