import { setImmediate } from "node:timers/promises";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import {
  createLookupResponses,
  type LookupResponses,
} from "../../src/insurers/lookups/lookup-responses.ts";
import { cachedLookups } from "./cached-lookups.ts";

describe("cached lookup answers", () => {
  const lookup: Endpoint = {
    kind: "lookup",
    provider: "provider-x",
    method: "GET",
    path: "/things",
    response: {},
    freshFor: 60,
  };
  type Ask = (call?: object, endpoint?: Endpoint) => Promise<unknown>;
  interface Started {
    readonly responses: LookupResponses;
    /** Sends a lookup as an account; returns the number of the call to the insurer from which the answer came. */
    readonly ask: Ask;
    readonly pass: (milliseconds: number) => void;
    /** The insurer's reaction to a call of an account. */
    behaviour: (account: string) => Promise<void>;
  }

  function start(staleHours = 1): Started {
    let calls = 0;
    let now = 0;
    const responses = createLookupResponses(
      () => staleHours,
      () => now,
    );
    const serving = cachedLookups(
      async (_, { account }) => {
        calls += 1;
        const content = String(calls);
        await started.behaviour(account);
        return { status: 200, headers: {}, content };
      },
      { responses, freshMs: ({ freshFor = 0 }) => freshFor * 1_000 },
    );
    const started: Started = {
      responses,
      pass: (milliseconds) => {
        now += milliseconds;
      },
      behaviour: async () => {},
      async ask(call = {}, endpoint = lookup) {
        const input = { params: {}, query: {}, headers: {} };
        // The cache needs no other members of a call.
        const asked = { account: "one", input, waited() {}, ...call } as unknown as UpstreamCall;
        return (await serving(endpoint, asked)).content;
      },
    };
    return started;
  }

  const each: Endpoint = { ...lookup, perAccount: true };
  const refuse = async (account: string): Promise<void> => {
    if (account === "one") throw new Refusal("PROVIDER_AUTH_FAILED", { detail: "" });
  };

  it("equal lookups of two accounts cause one call to the insurer, unless the insurer refuses the first account's credentials", async () => {
    const { ask } = start();
    expect(await Promise.all([ask(), ask({ account: "two" })])).toEqual(["1", "1"]);
    const refused = start();
    refused.behaviour = refuse;
    const [one, two] = await Promise.allSettled([refused.ask(), refused.ask({ account: "two" })]);
    expect(one).toMatchObject({ status: "rejected", reason: { code: "PROVIDER_AUTH_FAILED" } });
    expect(two).toEqual({ status: "fulfilled", value: "2" });
  });

  it("the gateway queries the insurer for every call of a lookup that declares `freshFor: 0`, even for simultaneous calls", async () => {
    const { ask } = start();
    const never = { ...lookup, freshFor: 0 };
    expect(await Promise.all([ask({}, never), ask({}, never)])).toEqual(["1", "2"]);
  });

  it("two accounts never share the answer to a lookup that declares `perAccount`, even if both call at the same time", async () => {
    const { ask } = start();
    expect(await Promise.all([ask({}, each), ask({ account: "two" }, each)])).toEqual(["1", "2"]);
  });

  it("the gateway drops an account's cached answer if the account changes or if the insurer refuses the account's credentials", async () => {
    const started = start();
    const { ask, pass, responses } = started;
    await ask({}, each);
    await ask({ account: "two" }, each);
    responses.dropOf((account) => account === "two");
    expect([await ask({}, each), await ask({ account: "two" }, each)]).toEqual(["1", "3"]);
    pass(50_000);
    started.behaviour = refuse;
    // The insurer refuses the background refresh of this answer.
    expect(await ask({}, each)).toBe("1");
    await setImmediate();
    await expect(ask({}, each)).rejects.toMatchObject({ code: "PROVIDER_AUTH_FAILED" });
  });

  it.each([
    ["an answer for all accounts, refresh refused for one account's credentials", lookup, refuse],
    [
      "an answer for one account, insurer unreachable",
      each,
      async () => {
        throw new Refusal("PROVIDER_UNREACHABLE", { detail: "" });
      },
    ],
  ])(
    "the gateway continues to use a cached lookup answer if the background refresh of the answer fails: %s",
    async (_, endpoint, behaviour) => {
      const started = start();
      await started.ask({}, endpoint);
      started.pass(50_000);
      started.behaviour = behaviour;
      await started.ask({}, endpoint);
      // The background refresh has failed now.
      await setImmediate();
      expect(await started.ask({}, endpoint)).toBe("1");
    },
  );

  it("the gateway does not repeat a failed background refresh while the cached answer is fresh", async () => {
    const started = start();
    const { ask, pass } = started;
    await ask();
    pass(48_000);
    started.behaviour = async () => {
      throw new Refusal("PROVIDER_UNREACHABLE", { detail: "" });
    };
    expect(await ask()).toBe("1");
    // The failed background refresh has ended now.
    await setImmediate();
    expect([await ask(), await ask()]).toEqual(["1", "1"]);
    started.behaviour = async () => {};
    pass(11_999);
    expect(await ask()).toBe("1");
    pass(1);
    // The answer is stale now.
    expect(await ask()).toBe("3");
  });

  it("all accounts share one cached answer, unless the lookup is declared `perAccount`", async () => {
    const { ask: shared } = start();
    expect([await shared({}), await shared({ account: "two" })]).toEqual(["1", "1"]);
    const { ask: own } = start();
    expect([await own({}, each), await own({ account: "two" }, each), await own({}, each)]).toEqual(
      ["1", "2", "1"],
    );
  });

  it("the gateway does not use the cache for calls with a sandbox scenario, or for reconciliation queries", async () => {
    const { ask: serve } = start();
    expect([
      await serve({}),
      await serve({ scenario: "ANY" }),
      await serve({ once: { probe: false } }),
    ]).toEqual(["1", "2", "3"]);
  });

  it("the gateway answers a lookup from memory while the cached answer is fresh, even if the operator allows no stale answers", async () => {
    const { ask: serve } = start(0);
    expect([await serve({}), await serve({})]).toEqual(["1", "1"]);
  });
});
