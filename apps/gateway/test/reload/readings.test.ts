import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { type Files, noteFiles } from "../../src/configuration/files.ts";
import { createReadSettings, type Settings } from "../../src/configuration/settings.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { type CurrentSettings, createCurrentSettings } from "../../src/reload/current.ts";
import { type Reloading, type ReloadResult, startReloading } from "../../src/reload/reload.ts";
import type { Time } from "../../src/time.ts";

const MINUTE = 60_000;

/** The settings of the start, and others. */
let first: Settings;
let second: Settings;

let folder: string;
let elapsed: number;
let works: Map<number, () => Promise<void>>;
/** The events, in their order. */
let events: unknown[];
let lines: unknown[];
/** The settings in the files. */
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
    // Not in the folder, which is another one each time.
    data: "/nowhere",
    ...sections,
  });
  try {
    return await createReadSettings({}, gateway.path)(noteFiles());
  } finally {
    gateway.remove();
  }
}

async function readFiles(files: Files): Promise<Settings> {
  for (const name of names) files.read(join(folder, name));
  events.push("read");
  return read();
}

/** Lets the process read its files once, after a number of milliseconds. */
async function look(after = 0): Promise<void> {
  elapsed += after;
  await works.get(500)?.();
  await new Promise(setImmediate);
}

/** Writes the file that the settings are read from. */
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
  const files = noteFiles();
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

describe("a changed file", () => {
  it("is looked for once a minute, and applied when it was read equal a second later", async () => {
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
    expect(events, "nothing has changed since").toHaveLength(3);
  });

  it("is read again when it changes before it is applied", async () => {
    write("two");
    await look(MINUTE);
    write("three");
    await look(1_000);
    await look(999);
    expect(events).toEqual(["read", "read"]);
    await look(1);
    expect(events).toEqual(["read", "read", "unchanged"]);
  });

  it("is not applied twice, although nothing that counts was different in it", async () => {
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

  it("are refused with every fault, and not read again until they change", async () => {
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

  it("are refused when reading them fails otherwise, and the log says where", async () => {
    read = async () => {
      throw new RangeError("words of a secret");
    };
    const result = reloading.reload();
    await look();
    await look(1_000);
    const faults = ["the configuration cannot be read; the log says where"];
    expect(await result).toEqual({ result: "refused", faults });
    const [failure, ...others] = lines;
    expect(failure).toEqual({
      failure: { kind: "RangeError", places: expect.any(Array) },
      msg: "the configuration cannot be read",
    });
    // The log writes nothing that has not the form of a fault.
    expect(others).toEqual([{ ...Object(refusedWith()), faults: expect.anything() }]);
    expect(events).toEqual(["read", "refused"]);
  });

  it("are refused when they cannot be used, and tried again when somebody asks", async () => {
    read = async () => second;
    apply = async () => {
      throw new RangeError("words of a secret");
    };
    write("two");
    const result = reloading.reload();
    await look();
    await look(1_000);
    const faults = ["the configuration cannot be used; the log says where"];
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

  it("are refused where a change needs a new process, with the reason", async () => {
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

  it("files are refused when the check of their omitted parts fails, and a reload after it is answered", async () => {
    const moved = await settingsWith({ data: "/elsewhere" });
    read = async () => moved;
    faultsWithout = async () => {
      throw new RangeError("words of a secret");
    };
    const result = reloading.reload();
    await look();
    await look(1_000);
    const faults = ["the configuration cannot be used; the log says where"];
    expect(await result).toEqual({ result: "refused", faults });
    read = async () => second;
    const again = reloading.reload();
    await look();
    await look(1_000);
    expect(await again).toMatchObject({ result: "applied" });
  });
});

describe("a reload that somebody asks for", () => {
  it("is answered with the reading after it, once the issuers' keys are fetched", async () => {
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

  it("fetches no keys where it is refused, and nobody's reload fetches none", async () => {
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

it("the end waits for a reading that is under way", async () => {
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
