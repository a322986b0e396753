import { getEventListeners } from "node:events";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  type CancellationSignal,
  ConfigurationError,
  type EachResult,
  type Gateway,
  memoryKeyStore,
} from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import {
  type BrandList,
  calculatePremium,
  createPolicy,
  issuedPolicy,
  listBrands,
  type Policy,
  policyBody,
} from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { json, problem, silence } from "../harness/replies.ts";
import { type Reply, scriptedServer } from "../harness/scripted-server.ts";

const holder = { afm: "123456789", fullName: "Ελένη" };

/** Advances the test's clock by the time limit of a call, and never answers. */
const tooLate: Reply = () => void vi.advanceTimersByTime(1_000);

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns a client of a gateway that answers by path, and a promise that resolves when a silent connection closes. */
async function gatewayOf(replies: Readonly<Record<string, Reply>>): Promise<{
  readonly gateway: Gateway;
  readonly left: Promise<void>;
  readonly targets: () => readonly string[];
}> {
  const left = Promise.withResolvers<void>();
  const server = await scriptedServer((response, arrival) => {
    response.once("close", () => {
      if (!response.writableFinished) left.resolve();
    });
    (replies[arrival.target] ?? silence)(response, arrival);
  });
  return {
    gateway: connect(server.address),
    left: left.promise,
    targets: () => server.arrivals.map(({ target }) => target),
  };
}

describe("several calls with `each`", () => {
  it("`each` yields the answer or the error of each call as soon as the call ends", async () => {
    const gate = Promise.withResolvers<void>();
    const { gateway } = await gatewayOf({
      "/e/premium": (response, arrival) =>
        void gate.promise.then(() => json(issuedPolicy)(response, arrival)),
      "/f/premium": problem({ status: 502, code: "PROVIDER_FAILED", retry: "never" }),
      "/provider-m/brands": json({ items: ["Toyota"] }),
    });
    const calls = {
      e: () => gateway.call(calculatePremium, { body: holder, segment: "e" }),
      f: () => gateway.call(calculatePremium, { body: holder, segment: "f" }),
      brands: () => gateway.call(listBrands),
    };
    const results: EachResult<typeof calls>[] = [];
    for await (const one of gateway.each(calls)) {
      results.push(one);
      if (one.name === "brands" && one.error === null)
        expectTypeOf(one.data).toEqualTypeOf<BrandList>();
      if (one.name === "e" && one.error === null) expectTypeOf(one.data).toEqualTypeOf<Policy>();
      if (results.length === 2) gate.resolve();
    }
    expect(results.at(-1)).toEqual({ name: "e", data: issuedPolicy, error: null });
    expect(results).toContainEqual({ name: "brands", data: { items: ["Toyota"] }, error: null });
    const [failed] = results.filter(({ name }) => name === "f");
    expect(failed).toMatchObject({ data: null, error: { code: "PROVIDER_FAILED" } });
  });

  it("`each` cancels running calls if the calling program leaves the loop", async () => {
    const { gateway, left } = await gatewayOf({ "/f/premium": json(issuedPolicy) });
    for await (const one of gateway.each({
      e: () => gateway.call(calculatePremium, { body: holder, segment: "e" }),
      f: () => gateway.call(calculatePremium, { body: holder, segment: "f" }),
    })) {
      expect(one.name).toBe("f");
      break;
    }
    await left;
  });

  it("`each` stops every call at the common time limit, even if a call has a later limit and another signal", async () => {
    holdTime();
    let sent = 0;
    const second: Reply = (...request) => ++sent === 2 && tooLate(...request);
    const { gateway, left } = await gatewayOf({
      "/provider-m/premium": second,
      "/provider-m/policies": second,
    });
    const { signal } = new AbortController();
    const calls = {
      once: () => gateway.call(calculatePremium, { body: holder, timeout: 60_000, signal }),
      submission: () => gateway.submit(createPolicy, { body: policyBody, key: "k-1" }),
    };
    const results = await collected(gateway.each(calls, { within: 1_000 }));
    expect(results).toContainEqual({
      name: "once",
      data: null,
      error: expect.objectContaining({ code: "TIMEOUT", outcome: "unknown" }),
    });
    expect(results).toContainEqual({
      name: "submission",
      data: expect.objectContaining({ outcome: "unknown", key: "k-1" }),
      error: null,
    });
    await left;
  });

  it("the limits of `each` apply to every call that a callback makes with these limits", async () => {
    holdTime();
    const { gateway, targets } = await gatewayOf({
      "/provider-m/brands": json({ items: [] }),
      "/provider-m/premium": tooLate,
    });
    const calls = {
      async both(limits: { readonly timeout: number }) {
        await gateway.call(listBrands);
        return gateway.call(calculatePremium, { body: holder, ...limits });
      },
    };
    const results = await collected(gateway.each(calls, { within: 1_000 }));
    expect(results).toMatchObject([{ name: "both", error: { code: "TIMEOUT" } }]);
    expect(targets()).toEqual(["/provider-m/brands", "/provider-m/premium"]);
  });

  it("a call in `each` takes at most the client's `timeout` if the callback passes the limits of `each` to the call", async () => {
    const server = await scriptedServer(silence);
    const gateway = connect(server.address, { timeout: 200 });
    const later = {
      async e(limits: { readonly timeout: number }) {
        await Promise.resolve();
        return gateway.call(listBrands, limits);
      },
    };
    for (const options of [{}, { within: 60_000 }]) {
      const results = await collected(gateway.each(later, options));
      expect(results).toMatchObject([{ error: { code: "TIMEOUT" } }]);
    }
  });

  it("the time limit of `each` applies to a callback's queries about submissions", async () => {
    holdTime();
    const server = await scriptedServer(tooLate, silence, silence, tooLate);
    const gateway = connect(server.address);
    const input = { body: policyBody, key: "k-1", timeout: 1_000 };
    const unknown = await gateway.submit(createPolicy, input);
    if (unknown.outcome !== "unknown") throw new Error(`The outcome is ${unknown.outcome}`);
    const store = memoryKeyStore();
    await store.add({ key: "k-1", provider: "provider-m", endpoint: "POST /policies" });
    const calls = {
      byKey: () => gateway.submissionByKey(createPolicy, "k-1"),
      resume: () => gateway.resume(store, [createPolicy]),
      resolve: () => unknown.error.resolve(),
    };
    const results = await collected(gateway.each(calls, { within: 1_000 }));
    const open = { outcome: "unknown", error: { code: "TIMEOUT" } };
    expect(Object.fromEntries(results.map(({ name, ...result }) => [name, result]))).toMatchObject({
      byKey: { error: { code: "TIMEOUT" } },
      resume: { data: [{ result: open }] },
      resolve: { data: open },
    });
  });

  it("`each` cancels a call if the signal in the call's options aborts, even if the signal is not an AbortSignal", async () => {
    const { gateway } = await gatewayOf({});
    const stop = new AbortController();
    const { signal: own } = stop;
    const signal: CancellationSignal = {
      get aborted() {
        return own.aborted;
      },
      get reason() {
        return own.reason;
      },
      addEventListener: (type, listener) => own.addEventListener(type, listener),
      removeEventListener: (type, listener) => own.removeEventListener(type, listener),
    };
    const results = collected(gateway.each({ e: () => gateway.call(listBrands, { signal }) }));
    stop.abort("left");
    expect(await results).toMatchObject([{ error: { code: "CANCELLED", cause: "left" } }]);
    expect(getEventListeners(own, "abort")).toEqual([]);
  });

  it("`each` accepts a time limit that is longer than the longest timer", async () => {
    const { gateway } = await gatewayOf({ "/provider-m/brands": json({ items: [] }) });
    const calls = { brands: () => gateway.call(listBrands) };
    for (const within of [3_000_000_000, Number.POSITIVE_INFINITY])
      expect(await collected(gateway.each(calls, { within }))).toMatchObject([{ error: null }]);
  });

  it("`each` cancels the running calls and reports the signal's reason if the signal that `each` received aborts", async () => {
    const { gateway } = await gatewayOf({});
    const stop = new AbortController();
    const [result] = await collected(
      gateway.each(
        {
          e() {
            const call = gateway.call(listBrands);
            stop.abort("left");
            return call;
          },
        },
        { signal: stop.signal },
      ),
    );
    expect(result).toMatchObject({ error: { code: "CANCELLED", cause: "left" } });
  });

  it("`each` throws the error with which a callback fails", async () => {
    const { gateway } = await gatewayOf({});
    const own = new RangeError("own");
    const iterated = collected(
      gateway.each({
        e: () => gateway.call(listBrands),
        f: () => Promise.reject(own),
      }),
    );
    expect(await failureOf(iterated)).toBe(own);
  });

  it.each([
    ["calls that are not an object", null, {}],
    ["a call that is not a function", { e: 1 }, {}],
    ["a time limit of 0", {}, { within: 0 }],
    ["a time limit that is a text", {}, { within: "8000" }],
    ["an unknown option", {}, { timeout: 1 }],
  ])("`each` refuses invalid arguments at once: %s", async (_, calls, options) => {
    const { gateway } = await gatewayOf({});
    expect(() => gateway.each(calls as never, options as never)).toThrow(ConfigurationError);
  });
});
