import { type JsonCall, jsonDialect, plainText } from "@insurance-gateway/adapter";
import {
  defineProvider,
  document,
  type Endpoint,
  pdf,
  quote,
  submission,
} from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { callAdapter, type ScriptedAnswer } from "../src/index.ts";

const anything = loose<object>({});
const issue = submission<{ response: object }>({
  provider: "provider-m",
  path: "/policies",
  response: { 201: anything },
  idempotency: "none",
});
const price = quote<{ response: object }>({
  provider: "provider-m",
  path: "/prices",
  response: { 201: anything },
});
const print = document<Record<never, never>>({
  provider: "provider-m",
  path: "/print",
  files: [pdf],
});

const polled: JsonCall = {
  method: "POST",
  path: "/work",
  poll: {
    pending: { at: "/state", is: ["WORKING", 0] },
    ticket: { header: "location" },
    everyMs: 1_000,
    method: "GET",
    path: "/work/{/ticket}",
  },
  status: 201,
  value: [["/policyId", "/id", plainText]],
};

const working = (headers: object = {}): ScriptedAnswer => ({
  headers: { "content-type": "application/json", ...headers },
  body: '{"state":"WORKING"}',
});
const accepted = working({ location: "https://insurer.example/api/work/7%2F1?x=/y" });
const done: ScriptedAnswer = { body: '{"state":"DONE","id":"M-1"}' };

/** Calls an endpoint whose insurer finishes the work later. */
async function call(endpoint: Endpoint, answers: readonly ScriptedAnswer[], leftMs = 60_000) {
  const provider = defineProvider({
    id: "provider-m",
    name: "M",
    lines: ["motor"],
    endpoints: { endpoint },
  });
  const adapter = jsonDialect(provider, { failures: [], calls: { endpoint: polled } });
  const waits: number[] = [];
  let left = leftMs;
  const wait = async (milliseconds: number): Promise<boolean> => {
    if (milliseconds >= left) return false;
    left -= milliseconds;
    waits.push(milliseconds);
    return true;
  };
  const called = await callAdapter(adapter, endpoint, {}, answers, { wait });
  return { ...called, waits };
}

describe("work that the insurer finishes later", () => {
  it("the adapter sends a submission only once, and then queries the result with the insurer's ticket", async () => {
    const { answer, sent, waits } = await call(issue, [
      accepted,
      working({ "retry-after": "7" }),
      done,
    ]);
    expect(answer).toEqual({ type: "value", status: 201, value: { policyId: "M-1" } });
    expect(sent.map(({ acts, method, path }) => `${method} ${path} ${acts}`)).toEqual([
      "POST /work true",
      "GET /work/7%2F1 false",
      "GET /work/7%2F1 false",
    ]);
    expect(waits).toEqual([1_000, 7_000]);
  });

  it("the adapter reports an unreadable answer if another query for the result would exceed the time limit", async () => {
    for (const endpoint of [issue, price])
      expect((await call(endpoint, [accepted], 1_000)).answer).toEqual({
        type: "unreadable",
        status: 200,
        detail: "The insurer did not finish in time.",
      });
  });

  it("the adapter reports that a document is not ready if another query for the document would exceed the time limit", async () => {
    expect((await call(print, [accepted], 1_000)).answer).toEqual({ type: "notReady" });
  });

  it("the adapter reports an unreadable answer if the insurer names no ticket for the unfinished work", async () => {
    for (const location of [{}, { location: "/" }, { location: "/work/%E0" }]) {
      const { answer, sent } = await call(issue, [working(location)]);
      expect(answer).toMatchObject({ type: "unreadable" });
      expect(sent).toHaveLength(1);
    }
  });

  it.each([
    [{ everyMs: 249 }, "250 or more"],
    [{ pending: {} }, "a status or a value"],
    [{ pending: { at: "/state" } }, "both `at` and `is`"],
    [{ pending: { at: "/state", is: [] } }, "must have a value"],
    [{ pending: { status: 404 } }, "200 to 299"],
    [{ ticket: { header: "Location" } }, "in lower case"],
  ])("jsonDialect refuses invalid polling settings of a call: %j", (change, fault) => {
    const provider = defineProvider({
      id: "provider-m",
      name: "M",
      lines: ["motor"],
      endpoints: { issue },
    });
    const { poll } = polled;
    const calls = { issue: { ...polled, ...(poll && { poll: { ...poll, ...change } }) } };
    expect(() => jsonDialect(provider, { failures: [], calls })).toThrow(fault);
  });
});
