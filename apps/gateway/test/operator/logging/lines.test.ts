import { afterEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../../../src/operator/logging/failure.ts";
import { scrub } from "../../../src/operator/logging/line.ts";
import { createLogger, type Destination } from "../../../src/operator/logging/logger.ts";

/** Returns a destination of log lines that records the calls of its functions. */
function noting(more: Partial<Destination> = {}): Destination & { readonly done: unknown[] } {
  const done: unknown[] = [];
  return {
    done,
    write(line) {
      const { time: _time, ...fields } = JSON.parse(line);
      done.push(fields);
    },
    flushSync: () => void done.push("flushSync"),
    flush: async () => void done.push("flush"),
    ...more,
  };
}

describe("the logger", () => {
  afterEach(() => void vi.useRealTimers());

  it("the logger writes each line with the level of the called method, and flushes the log at once after a fatal error", async () => {
    const destination = noting();
    const logger = createLogger(destination);
    const { error, fatal, info, warn } = logger;
    info("the configuration was reloaded");
    warn({ status: 400 }, "request");
    error({ requestId: null, segment: undefined }, "failed");
    await logger.flush();
    fatal({ failure: "TypeError" }, "the process failed");
    expect(destination.done).toEqual([
      { level: 30, msg: "the configuration was reloaded" },
      { level: 40, status: 400, msg: "request" },
      { level: 50, requestId: null, msg: "failed" },
      "flush",
      { level: 60, failure: "TypeError", msg: "the process failed" },
      "flushSync",
    ]);
  });

  it("the logger writes a fatal error even if the log's destination cannot be flushed", async () => {
    const failing = noting({
      flushSync() {
        throw new Error("EPIPE");
      },
    });
    createLogger(failing).fatal("the process failed");
    expect(failing.done).toHaveLength(1);
    const simple = noting();
    const plain = createLogger({ write: (line) => simple.write(line) });
    plain.fatal("the process failed");
    await plain.flush();
    expect(simple.done).toHaveLength(1);
  });

  it("the logger writes the current time into each line", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const times: unknown[] = [];
    const { info } = createLogger({ write: (line) => times.push(JSON.parse(line).time) });
    for (const now of [1_000, 1_000, 1_001, 999]) {
      vi.setSystemTime(now);
      info("the configuration was reloaded");
    }
    const time = (milliseconds: string): string => `1970-01-01T00:00:${milliseconds}Z`;
    expect(times).toEqual([time("01.000"), time("01.000"), time("01.001"), time("00.999")]);
  });

  it("the logger writes values unchanged even after more different values than the logger's cache can keep", () => {
    const destination = noting();
    const { info } = createLogger(destination);
    for (let number = 0; number < 5_002; number += 1) info({ endpoint: `e${number}` }, "request");
    info({ endpoint: "e5001" }, "request");
    expect(destination.done.at(-1)).toEqual({ level: 30, endpoint: "e5001", msg: "request" });
  });
});

describe("lists in the log", () => {
  it.each([
    [
      ["limits.headers", "issuers"],
      ["limits.headers", "issuers"],
    ],
    [["limits.headers", "a key with spaces"], "?"],
    [["a key with spaces", "limits.headers"], "?"],
    [[], []],
    ["limits.headers", "?"],
  ])("the logger writes the list %j as %j", (keys, written) => {
    const destination = noting();
    // The type of `keys` does not allow a text, but a program without types could pass a text.
    createLogger(destination).info({ keys: keys as string[] }, "the configuration was reloaded");
    expect(destination.done).toMatchObject([{ keys: written }]);
  });
});

describe("the places in code of a logged failure", () => {
  const withStack = (stack: string): Error => Object.assign(new TypeError("words"), { stack });
  const place = (line: number): string => `at run (file:///srv/a.js:${line}:2)`;

  it("a logged failure has the first eight lines of the error's stack", () => {
    const places = Array.from({ length: 9 }, (_, index) => place(index));
    const stack = ["TypeError: words", ...places.map((one) => `    ${one}`)].join("\n");
    expect(failureOf(withStack(stack))).toEqual({ kind: "TypeError", places: places.slice(0, 8) });
  });

  it("a logged failure has only those lines of the error's stack that are places in code", () => {
    expect(failureOf(withStack(`TypeError\n${place(1)}\nat nowhere`))).toEqual({
      kind: "TypeError",
      places: [place(1)],
    });
    expect(failureOf(Object.assign(new TypeError("words"), { stack: undefined }))).toEqual({
      kind: "TypeError",
      places: [],
    });
  });

  it("a logged failure has a kind even if the error's class is unusual", () => {
    expect(failureOf(Object.assign(withStack(""), { constructor: undefined })).kind).toBe("Error");
    expect(failureOf(Object.assign(withStack(""), { constructor: { name: "Other" } })).kind).toBe(
      "Error",
    );
  });
});

describe("the last filter of the log", () => {
  it.each([
    ["123456783", "[removed]"],
    ["123456784", "123456784"],
    ["094014201", "[removed]"],
    // The checksum of this tax number has the remainder 10, for which the check digit is 0.
    ["000000050", "[removed]"],
    ["a123456783", "a123456783"],
    ["1984-02-29", "[removed]"],
    ["1884-02-29", "1884-02-29"],
    ["1984-02-29T10:00", "1984-02-29T10:00"],
    ["/eyJhbGci.eyJz.c2ln/x", "/[removed]/x"],
    ["eyJab", "eyJab"],
    ["a maria.p@example.gr b", "a [removed] b"],
    ["a maria.p%40example.gr b", "a [removed] b"],
    ["maria@example", "maria@example"],
  ])("the last filter of the log turns %s into %s", (text, left) => {
    expect(scrub(text)).toBe(left);
  });
});
