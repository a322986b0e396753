import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal, type RefusalDetails } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { expect, it, onTestFinished, vi } from "vitest";
import type { AccountCall, OpenedAccount, UpstreamCall } from "../../src/insurers/call.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import type { Retries } from "../../src/insurers/resilience/retries.ts";
import { retryCalls } from "../../src/insurers/resilience/retry.ts";
import { accountCallOf, callOf } from "../harness/one-attempt.ts";

const timeouts = { connectMs: 1_000, totalMs: 10_000, submissionMs: 20_000 };
const answer = { status: 200, headers: {}, content: "{}" };

/** The results of a call's attempts in order: the details of a refusal, or "ok" for a success. */
type Script = readonly (Partial<RefusalDetails> | "ok")[];

/** Creates a call of an account with these retries, which its newest settings also have. */
function retriedCallOf(retries: Retries, more: Partial<UpstreamCall> = {}): AccountCall {
  const opened: Partial<OpenedAccount> = {
    // The retry step does not read the other members.
    insurer: { timeouts } as InsurerAccess,
    retries,
    newest: () => opened as OpenedAccount,
  };
  return accountCallOf(callOf(more), opened);
}

/** Starts the retry step with attempts that end as scripted; the last result repeats, and retries do not wait. */
function start(script: Script) {
  const left: number[] = [];
  const retries: Retries = { called: () => undefined, next: (attempt) => (attempt < 3 ? 0 : null) };
  const repeated = retryCalls(async (_, { leftMs }) => {
    const next = script[Math.min(left.length, script.length - 1)];
    left.push(leftMs());
    if (next === "ok") return answer;
    throw new Refusal("PROVIDER_UNREACHABLE", { detail: `attempt ${left.length}`, ...next });
  });
  return {
    left,
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

it("the gateway repeats a reconciliation query only with renewed credentials, and at most once", async () => {
  const once = start([failed, "ok"]);
  expect(await once.go(searchApplications, { once: { probe: false } })).toBe("attempt 1");
  const renewing = start([renewed, failed, "ok"]);
  expect(await renewing.go(searchApplications, { once: { probe: true } })).toBe("attempt 2");
});

it("the gateway does not repeat a submission of unknown outcome, even if the credentials were renewed", async () => {
  let attempts = 0;
  const repeated = retryCalls(async () => {
    attempts += 1;
    throw new Refusal("OUTCOME_UNKNOWN", { detail: "", ...renewed });
  });
  const call = retriedCallOf({ called: () => undefined, next: () => 0 });
  await expect(repeated(createApplication, call)).rejects.toThrow(Refusal);
  expect(attempts).toBe(1);
});

it("all attempts of a call together have the time limit for the kind of the call", async () => {
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
