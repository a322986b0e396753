import type { Endpoint } from "@insurance-gateway/core/contract";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AccountCall, OpenedAccount, UpstreamCall } from "../../src/insurers/call.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import type { Retries } from "../../src/insurers/resilience/retries.ts";
import { retry } from "../../src/insurers/resilience/retry.ts";
import { Refusal, type RefusalDetails } from "../../src/problems/refusal.ts";
import { accountCallOf, callOf } from "../harness/one-attempt.ts";

const timeouts = { connectMs: 1_000, totalMs: 10_000, submissionMs: 20_000 };
const answer = { status: 200, headers: {}, content: "{}" };

/** The attempts of a call, one after the other: what each is refused with; "ok" for an answer. */
type Script = readonly (Partial<RefusalDetails> | "ok" | Error)[];

/** A call whose account has these retries, and is the same with the newest settings. */
function retriedCallOf(retries: Retries, more: Partial<UpstreamCall> = {}): AccountCall {
  const opened: Partial<OpenedAccount> = {
    // Nothing else of it is read.
    insurer: { timeouts } as InsurerAccess,
    retries,
    newest: () => opened as OpenedAccount,
  };
  return accountCallOf(callOf(more), opened);
}

/** A repeated call whose attempts end as scripted, the last again and again; its retries wait for nothing. */
function start(script: Script, wait: number | null = 0) {
  const left: number[] = [];
  const asked: (readonly [number, number | null])[] = [];
  let earned = 0;
  const retries: Retries = {
    called: () => {
      earned += 1;
    },
    next(attempt, retryAfterSeconds) {
      asked.push([attempt, retryAfterSeconds]);
      return attempt < 3 ? wait : null;
    },
  };
  const repeated = retry(async (_, { leftMs }) => {
    const next = script[Math.min(left.length, script.length - 1)];
    left.push(leftMs());
    if (next === "ok") return answer;
    if (next instanceof Error) throw next;
    throw new Refusal("PROVIDER_UNREACHABLE", { detail: `attempt ${left.length}`, ...next });
  });
  return {
    left,
    asked,
    earned: () => earned,
    go: async (
      endpoint: Endpoint = searchApplications,
      more: Partial<UpstreamCall> = {},
    ): Promise<string> => {
      return repeated(endpoint, retriedCallOf(retries, more)).then(
        () => "answered",
        (error: unknown) => (error instanceof Refusal ? error.details.detail : String(error)),
      );
    },
  };
}

const failed = { attempt: "failed" } as const;
const renewed = { attempt: "unusable", credentialsReplaced: true } as const;
const heldBack = { detail: "held back" };

describe("a call that changes nothing at the insurer", () => {
  it.each<[string, Script, string, number]>([
    ["is answered", ["ok"], "answered", 1],
    ["fails once", [failed, "ok"], "answered", 2],
    ["fails for good: its last failure counts", [failed], "attempt 3", 3],
    ["is refused", [{ attempt: "answered" }], "attempt 1", 1],
    ["has no usable answer", [{ attempt: "unusable" }], "attempt 1", 1],
    ["is put off", [{ attempt: "answered", retryAfterSeconds: 0 }, "ok"], "answered", 2],
    ["is held back before any attempt", [heldBack], "held back", 1],
    ["is held back after an attempt, which says more", [failed, heldBack], "attempt 1", 2],
    ["meets a fault of the gateway's own", [new TypeError("A fault")], "TypeError: A fault", 1],
    ["has its credentials renewed", [renewed, "ok"], "answered", 2],
    ["has its credentials renewed, once", [renewed], "attempt 2", 2],
    ["is renewed, then fails, then is answered", [renewed, failed, "ok"], "answered", 3],
  ])("%s", async (_, script, said, attempts) => {
    const { earned, go, left } = start(script);
    expect([await go(), left.length]).toEqual([said, attempts]);
    // A call earns its share of an attempt once, when the insurer was called.
    const wasCalled = said !== "held back" && !said.startsWith("TypeError");
    expect(earned()).toBe(wasCalled ? 1 : 0);
  });

  it("asks for the wait by the number of the attempt and what the insurer asked for", async () => {
    const { asked, go } = start([failed, renewed, { ...failed, retryAfterSeconds: 3 }, "ok"]);
    expect(await go()).toBe("answered");
    expect(asked, "renewed credentials are no attempt").toEqual([
      [1, null],
      [2, 3],
    ]);
  });

  it("ends with its first failure when there is no other attempt", async () => {
    const { go, left } = start([failed, "ok"], null);
    expect([await go(), left.length]).toEqual(["attempt 1", 1]);
  });

  it.each(["at once", "during the wait"])(
    "is not made again when its caller leaves %s",
    async (when) => {
      for (const first of [failed, renewed]) {
        const leaving = new AbortController();
        const { go, left } = start([first, "ok"], 20);
        if (when === "at once") leaving.abort();
        else queueMicrotask(() => setImmediate(() => leaving.abort()));
        const said = await go(searchApplications, { callerGone: leaving.signal });
        // Renewed credentials are tried without a wait.
        const isOver = when === "at once" || first === failed;
        expect([said, left.length]).toEqual(isOver ? ["attempt 1", 1] : ["answered", 2]);
      }
    },
  );

  it("is made once as a reconciliation query, with renewed credentials a second time", async () => {
    const once = start([failed, "ok"]);
    expect(await once.go(searchApplications, { once: { probe: false } })).toBe("attempt 1");
    const renewing = start([renewed, failed, "ok"]);
    expect(await renewing.go(searchApplications, { once: { probe: true } })).toBe("attempt 2");
  });
});

describe("a submission", () => {
  it.each<[string, Script, string, number]>([
    ["fails", [failed, "ok"], "attempt 1", 1],
    ["is put off", [{ attempt: "answered", retryAfterSeconds: 0 }, "ok"], "attempt 1", 1],
    ["was refused, provably, for credentials that are renewed", [renewed, "ok"], "answered", 2],
    ["was refused so twice", [renewed], "attempt 2", 2],
  ])("%s", async (_, script, said, attempts) => {
    const { go, left } = start(script);
    expect([await go(createApplication), left.length]).toEqual([said, attempts]);
  });

  it("of unknown outcome is not sent again, whatever becomes of the credentials", async () => {
    let attempts = 0;
    const repeated = retry(async () => {
      attempts += 1;
      throw new Refusal("OUTCOME_UNKNOWN", { detail: "", ...renewed });
    });
    const call = retriedCallOf({ called: () => undefined, next: () => 0 });
    await expect(repeated(createApplication, call)).rejects.toThrow(Refusal);
    expect(attempts).toBe(1);
  });
});

it("all attempts have one deadline: that of the kind", async () => {
  for (const [endpoint, most] of [
    [searchApplications, timeouts.totalMs],
    [createApplication, timeouts.submissionMs],
  ] as const) {
    let clock = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      clock += 100;
      return clock;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { go, left } = start([renewed, "ok"]);
    await go(endpoint);
    expect(left).toEqual([most - 100, most - 200]);
  }
});
