import pino from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { createLog, type LogFields } from "../src/log.ts";

it('the MCP server logs only the allowed fields, and "?" in place of a value that does not have the allowed form', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const planted = { body: { afm: "123456789" }, name: "Ελένη" };
  log("warn", "failed", {
    tool: "provider-d_createApplication",
    code: "Ελένη",
    requestId: "123456789",
    status: 404,
    ...planted,
  });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: 40,
    time: expect.any(String),
    tool: "provider-d_createApplication",
    code: "?",
    requestId: "?",
    status: 404,
    msg: "failed",
  });
});

it.each<[LogFields, LogFields | object]>([
  [{}, {}],
  [{ tool: `a${"b".repeat(63)}` }, { tool: `a${"b".repeat(63)}` }],
  [{ tool: `a${"b".repeat(64)}` }, { tool: "?" }],
  [{ tool: "1a" }, { tool: "?" }],
  [{ tool: "" }, { tool: "?" }],
  [
    { kind: "lookup", outcome: "not_sent" },
    { kind: "lookup", outcome: "not_sent" },
  ],
  [
    { kind: "LOOKUP", outcome: "not-sent" },
    { kind: "?", outcome: "?" },
  ],
  [{ code: "TypeError" }, { code: "TypeError" }],
  [{ code: "A1" }, { code: "?" }],
  [
    { status: 0, milliseconds: 99_999_999 },
    { status: 0, milliseconds: 99_999_999 },
  ],
  [
    { status: -1, milliseconds: 100_000_000 },
    { status: "?", milliseconds: "?" },
  ],
  [
    { requestId: "2c61561a-6cf3-40f7-9306-326226775525", status: undefined },
    { requestId: "2c61561a-6cf3-40f7-9306-326226775525" },
  ],
  [{ requestId: "2C61561A-6CF3-40F7-9306-326226775525" }, { requestId: "?" }],
])("the MCP server's log shows fields in the allowed form: %j as %j", (fields, written) => {
  const lines: string[] = [];
  createLog({ write: (line) => void lines.push(line) })("fatal", "the process failed", fields);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 60, time: expect.any(String), ...written, msg: "the process failed" },
  ]);
});

it("the MCP server logs to standard error without blocking and buffers at most a megabyte for a slow reader", () => {
  const destination = vi.spyOn(pino, "destination");
  onTestFinished(() => destination.mockRestore());
  createLog();
  expect(destination.mock.calls).toEqual([
    [expect.objectContaining({ fd: 2, sync: false, maxLength: 1_048_576 })],
  ]);
});
