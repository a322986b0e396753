import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRequestLogger } from "../../src/http/listener/request-log.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => void vi.useRealTimers());

const makeLines = (): ReturnType<typeof createRequestLogger> =>
  createRequestLogger(createLogger({ write: (line) => lines.push(JSON.parse(line)) }));

it("the log has at most a hundred lines a second for refused requests of unknown callers, and states the number of skipped lines", () => {
  const log = makeLines();
  const refusal = { caller: null, status: 401, code: "UNAUTHENTICATED", reason: "expired" };
  for (let count = 0; count < 1_000; count += 1) log(refusal);
  expect(lines).toHaveLength(100);
  log({ ...refusal, reason: "malformed" });
  expect(lines).toHaveLength(101);
  vi.advanceTimersByTime(1_000);
  log(refusal);
  log(refusal);
  expect(lines.slice(101).map(({ skipped }) => skipped)).toEqual([900, undefined]);
});

it("the log has a line for every refused request of a known caller, and for every successful request", () => {
  const log = makeLines();
  for (let count = 0; count < 200; count += 1) {
    log({ caller: "0123456789abcdef", status: 404, code: "NOT_FOUND" });
    log({ caller: null, status: 200, code: null });
  }
  expect(lines).toHaveLength(400);
});
