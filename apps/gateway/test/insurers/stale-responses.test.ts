import { Readable } from "node:stream";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { searchApplications } from "@insurance-gateway/provider-d";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import { createLookupResponses } from "../../src/insurers/lookups/lookup-responses.ts";
import { cachedLookups } from "./cached-lookups.ts";

const HOUR = 3_600_000;
const listThings: Endpoint = {
  kind: "lookup",
  provider: "provider-x",
  method: "GET",
  path: "/things/{group}",
  response: {},
};

type Input = Partial<UpstreamCall["input"]>;
type Outcome = UpstreamAnswer | Error;

/**
 * Starts a cache that keeps stale answers for one hour by default. The test sets the result of each call to the
 * insurer.
 */
function start(staleHours = 1) {
  let now = 0;
  let stale = 0;
  let next: Outcome = { status: 200, headers: {}, content: "" };
  const serving = cachedLookups(
    async () => {
      if (next instanceof Error) throw next;
      return next;
    },
    {
      responses: createLookupResponses(
        () => staleHours,
        () => now,
      ),
      observation: {
        answeredStale: () => {
          stale += 1;
        },
      },
    },
  );
  return {
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    stale: () => stale,
    ask: async (outcome: Outcome, input: Input = {}, endpoint = listThings): Promise<Outcome> => {
      next = outcome;
      const call = {
        input: { params: { group: "a" }, query: {}, headers: {}, ...input },
        waited() {},
      };
      // The cache needs no other members of a call.
      const asked = serving(endpoint, call as unknown as UpstreamCall);
      return Promise.resolve(asked).catch((error: Error) => error);
    },
  };
}

const fresh = (content: UpstreamAnswer["content"]): UpstreamAnswer => ({
  status: 200,
  headers: { "content-type": "application/json", "cache-control": "private" },
  content,
});
const failure = new Refusal("PROVIDER_UNREACHABLE", { detail: "", reason: "dns_error" });

function staleOf(content: string, ageSeconds: number, reason = "dns_error"): UpstreamAnswer {
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      age: String(ageSeconds),
      "cache-status": `insurance-gateway; hit; ttl=-${ageSeconds}; detail=${reason}`,
    },
    content,
  };
}

it("the gateway answers a lookup of a failing insurer with the last successful answer until this answer is too old", async () => {
  const step = fc.record({
    afterMs: fc.constantFrom(0, 1, 999, 1_000, HOUR / 2, HOUR - 1, HOUR),
    group: fc.constantFrom("a", "b"),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { ask, pass, stale } = start();
      const last = new Map<string, { readonly content: string; readonly at: number }>();
      let [now, served] = [0, 0];
      for (const [number, { afterMs, fails, group }] of steps.entries()) {
        pass(afterMs);
        now += afterMs;
        const content = `answer ${number}`;
        const found = await ask(fails ? failure : fresh(content), { params: { group } });
        const known = last.get(group);
        if (!fails) {
          last.set(group, { content, at: now });
          expect(found).toEqual(fresh(content));
        } else if (known === undefined || now - known.at > HOUR) expect(found).toBe(failure);
        else {
          served += 1;
          expect(found).toEqual(staleOf(known.content, Math.floor((now - known.at) / 1_000)));
        }
        expect(stale()).toBe(served);
      }
    }),
    { numRuns: 300 },
  );
});

describe("a stale answer", () => {
  it.each([
    ["PROVIDER_UNREACHABLE", true],
    ["PROVIDER_TIMEOUT", true],
    ["PROVIDER_BAD_RESPONSE", true],
    ["PROVIDER_UNAVAILABLE", true],
    ["OVERLOADED", true],
    ["PROVIDER_AUTH_FAILED", false],
    ["INTERNAL_ERROR", false],
    ["PROVIDER_REJECTED", false],
    ["TOO_MANY", false],
  ] as const)(
    "a stale answer replaces a problem only if the insurer fails or the gateway is overloaded: %s, replaced %s",
    async (code, isGiven) => {
      const { ask } = start();
      await ask(fresh("old"));
      const refusal = new Refusal(code, { detail: "" });
      expect(await ask(refusal)).toEqual(isGiven ? staleOf("old", 0, "insurer_failed") : refusal);
    },
  );

  it("a stale answer does not replace an internal error of the gateway", async () => {
    const { ask } = start();
    await ask(fresh("old"));
    const fault = new TypeError("A fault");
    expect(await ask(fault)).toBe(fault);
  });

  it("a stale answer is sent only to a request with the same query, headers and accepted media types", async () => {
    const { ask } = start();
    const asked: readonly Input[] = [
      {},
      { query: { page: "1" } },
      { headers: { "x-line": "motor" } },
      { accept: ["text/csv"] },
    ];
    for (const [number, input] of asked.entries()) await ask(fresh(`answer ${number}`), input);
    for (const [number, input] of asked.entries())
      expect(await ask(failure, input)).toEqual(staleOf(`answer ${number}`, 0));
  });

  it("the gateway keeps no stale answer of a stream, of a call that is not a lookup, or of a lookup with `staleHours: 0`", async () => {
    const { ask } = start();
    await ask(fresh(Readable.from([])));
    expect(await ask(failure)).toBe(failure);
    const never = start(0);
    await never.ask(fresh("old"));
    expect(await never.ask(failure)).toBe(failure);
    const search = start();
    await search.ask(fresh("old"), {}, searchApplications);
    expect(await search.ask(failure, {}, searchApplications)).toBe(failure);
  });

  it("the cache drops the least recently used stale answer when all answers together exceed 16 MB", async () => {
    const { ask } = start();
    // Each character counts as two bytes. An account's answer has two entries, and each entry counts 2 kB more.
    const fourth = "x".repeat(2 * 1024 * 1024 - 4_096);
    for (const group of ["a", "b", "c"]) await ask(fresh(fourth), { params: { group } });
    for (const group of ["d", "e"]) {
      await ask(failure, { params: { group: "a" } });
      await ask(fresh(fourth), { params: { group } });
    }
    const isKept = async (group: string): Promise<boolean> =>
      (await ask(failure, { params: { group } })) !== failure;
    expect(await Promise.all(["a", "b", "c", "d", "e"].map(isKept))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
  });
});
