import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import type { Gateway } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import {
  createPolicy,
  downloadTerms,
  listBrands,
  policyBody,
  searchPolicies,
} from "../harness/declarations.ts";
import { endlessBody } from "../harness/endless-body.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { json, raw, silence } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

const html = raw("<h1>Bad Gateway</h1>", "text/html", 502, { "x-request-id": "req-9" });

const submission = (gateway: Gateway): Promise<unknown> =>
  gateway.call(createPolicy, { body: policyBody });

describe("deadlines", () => {
  it.each([
    ["60 seconds by default", {}, {}, 60_000],
    ["the client's `timeout`", { timeout: 5_000 }, {}, 5_000],
    [
      "the call's `timeout`, even if the client has another",
      { timeout: 5_000 },
      { timeout: 700 },
      700,
    ],
    [
      "the longest time of a timer if `timeout` is Infinity",
      { timeout: Infinity },
      {},
      2 ** 31 - 1,
    ],
  ])("the time limit of a call is %s", async (_, options, call, milliseconds) => {
    holdTime();
    const server = await scriptedServer(silence);
    const failure = failureOf(connect(server.address, options).call(listBrands, call));
    let over = false;
    void failure.then(() => {
      over = true;
    });
    await server.reached;
    vi.advanceTimersByTime(milliseconds - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await failure).toMatchObject({ code: "TIMEOUT", outcome: "unknown", retry: "safe" });
    expect(server.arrivals).toHaveLength(1);
  });

  it("a submission has the outcome `unknown` if the deadline passes after the submission was sent", async () => {
    holdTime();
    const server = await scriptedServer(silence);
    const failure = failureOf(submission(connect(server.address)));
    await server.reached;
    vi.advanceTimersByTime(60_000);
    expect(await failure).toMatchObject({
      name: "OutcomeUnknownError",
      code: "TIMEOUT",
      outcome: "unknown",
      retry: "same_key",
      status: null,
      cause: { name: "ConnectionError" },
    });
    expect(server.arrivals).toHaveLength(1);
  });

  it("the time limit of a call includes the time to read the answer's body", async () => {
    holdTime();
    const server = await scriptedServer((response) => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.write("%PDF");
    });
    const terms = await connect(server.address).call(downloadTerms, { query: { policyId: "M-1" } });
    vi.advanceTimersByTime(60_000);
    expect(await failureOf(terms.bytes())).toMatchObject({ code: "TIMEOUT", outcome: "unknown" });
  });

  it("the timeout error of a call names a slow reader as the cause if the calling program reads the answer too slowly", async () => {
    holdTime();
    const body = endlessBody(30 * 1024 * 1024, "application/pdf");
    const server = await scriptedServer(body.reply, json({}));
    const terms = await connect(server.address).call(downloadTerms, { query: { policyId: "M-1" } });
    // The requests of this loop give the body time to arrive, until the connection's buffers are full.
    for (let count = 0; count < 100; count++) await (await fetch(server.address)).text();
    vi.advanceTimersByTime(60_000);
    const failure = await failureOf(terms.bytes());
    expect(failure).toMatchObject({ code: "TIMEOUT", retry: "safe" });
    expect(String(failure)).toContain("the application did not read the answer in time");
    expect(String(failure)).not.toContain("did not answer");
  });

  it("the client sends nothing if the token function does not answer before the deadline", async () => {
    holdTime();
    const server = await scriptedServer(silence);
    const token = (): Promise<string> => new Promise(() => undefined);
    const failure = failureOf(submission(connect(server.address, { token })));
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(60_000);
    expect(await failure).toMatchObject({ name: "TokenError", outcome: "not_sent" });
    expect(server.connections()).toBe(0);
  });

  it.each([0, -1])(
    "the client sends nothing if the deadline is %d milliseconds",
    async (timeout) => {
      const server = await scriptedServer(silence);
      const call = connect(server.address).call(createPolicy, { body: policyBody, timeout });
      expect(await failureOf(call)).toMatchObject({
        code: "TIMEOUT",
        outcome: "not_sent",
        retry: "safe",
      });
      expect(server.connections()).toBe(0);
    },
  );
});

describe("abort signals", () => {
  it("the client sends nothing and requests no token if the signal is already aborted", async () => {
    const server = await scriptedServer(silence);
    let asked = 0;
    const token = (): string => `token-${++asked}`;
    for (const options of [{}, { token }]) {
      const gateway = connect(server.address, options);
      const call = gateway.call(createPolicy, { body: policyBody, signal: AbortSignal.abort() });
      expect(await failureOf(call)).toMatchObject({ code: "CANCELLED", outcome: "not_sent" });
    }
    expect(server.arrivals).toEqual([]);
    expect(asked).toBe(0);
  });

  it("a submission has the outcome `unknown` if the calling program's signal aborts after the submission was sent", async () => {
    const server = await scriptedServer(silence);
    const controller = new AbortController();
    const failure = failureOf(
      connect(server.address).call(createPolicy, { body: policyBody, signal: controller.signal }),
    );
    await server.reached;
    controller.abort(new Error("canary"));
    expect(await failure).toMatchObject({
      name: "OutcomeUnknownError",
      code: "CANCELLED",
      outcome: "unknown",
      retry: "same_key",
      cause: { name: "ConnectionError" },
    });
    expect(String(await failure)).not.toContain("canary");
    expect(server.arrivals).toHaveLength(1);
  });

  it("the client stops a call that waits for a token if the call's signal aborts", async () => {
    const server = await scriptedServer(silence);
    const controller = new AbortController();
    const token = (): Promise<string> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const call = connect(server.address, { token }).call(searchPolicies, {
      query: { clientAfm: "123456789" },
      signal: controller.signal,
    });
    expect(await failureOf(call)).toMatchObject({ code: "CANCELLED", outcome: "not_sent" });
    expect(server.connections()).toBe(0);
  });

  it("the client removes all its listeners from an abort signal when a call ends", async () => {
    const server = await scriptedServer(json({ items: [] }), html);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const gateway = connect(server.address, { token: async () => "t" });
    await gateway.call(listBrands, { signal });
    await failureOf(gateway.call(listBrands, { signal }));
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
