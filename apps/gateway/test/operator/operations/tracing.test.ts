import { describe, expect, it } from "vitest";
import { formatServerTiming } from "../../../src/http/server-timing.ts";
import { type Trace, traceHeadersFor, traceOf } from "../../../src/http/trace-context.ts";
import { acceptedTraces, ignoredTraces, PARENT_ID, TRACE_ID } from "./trace-table.ts";

const newHex = (bytes: number): string => "0102030405064708890a0b0c0d0e0f10".slice(-2 * bytes);

describe("the trace of a request", () => {
  it.each(acceptedTraces)(
    "the gateway continues the caller's trace if the `traceparent` header has $name",
    ({ flags, traceparent }) => {
      expect(traceOf({ traceparent: [traceparent] })).toEqual({
        traceId: TRACE_ID,
        parentId: PARENT_ID,
        flags,
      });
    },
  );

  it.each(Object.entries(ignoredTraces))(
    "the gateway starts a new trace because of an invalid `traceparent` header: %s",
    (_, traceparent) => {
      const trace = traceOf({ traceparent }, newHex);
      expect(trace).toEqual({
        traceId: "0102030405064708890a0b0c0d0e0f10",
        parentId: null,
        flags: 2,
      });
    },
  );

  it("the gateway starts a different trace for each request without a `traceparent` header", () => {
    const ids = Array.from({ length: 100 }, () => traceOf({}).traceId);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("the trace headers for the insurer", () => {
  const trace: Trace = { traceId: TRACE_ID, parentId: PARENT_ID, flags: 1 };

  it("the insurer receives the caller's trace and flags with a new parent id, and no other trace header", () => {
    expect(traceHeadersFor(trace, newHex)).toEqual({
      traceparent: `00-${TRACE_ID}-890a0b0c0d0e0f10-01`,
    });
    const { traceparent } = traceHeadersFor(trace);
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`));
    expect(traceparent).not.toBe(traceHeadersFor(trace).traceparent);
  });

  it("an insurer that reads the gateway's `traceparent` header can continue the caller's trace", () => {
    for (const { traceparent } of acceptedTraces) {
      const first = traceOf({ traceparent: [traceparent] });
      const next = traceOf({ traceparent: [traceHeadersFor(first).traceparent ?? ""] });
      expect(next).toEqual({ ...first, parentId: next.parentId });
      expect(next.parentId).not.toBe(first.parentId);
    }
  });
});

describe("the Server-Timing header", () => {
  it.each([
    [{ insurerMs: 12.345, gatewayMs: 0.84 }, "insurer;dur=12.3, gateway;dur=0.8"],
    [{ insurerMs: 0, gatewayMs: 1 }, "insurer;dur=0, gateway;dur=1"],
    [{ insurerMs: 5, gatewayMs: -0.2 }, "insurer;dur=5, gateway;dur=0"],
    [{ insurerMs: 1e7, gatewayMs: 0.04 }, "insurer;dur=10000000, gateway;dur=0"],
  ])("the gateway formats the times %j in the header Server-Timing as %s", (timing, header) => {
    expect(formatServerTiming(timing)).toBe(header);
  });
});
