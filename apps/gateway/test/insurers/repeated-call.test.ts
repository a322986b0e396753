import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal, type RefusalDetails } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { expect, it, onTestFinished, vi } from "vitest";
import type { AccountCall, OpenedAccount, UpstreamCall } from "../../src/insurers/call.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import type { Retries } from "../../src/insurers/resilience/retries.ts";
import { retry } from "../../src/insurers/resilience/retry.ts";
import { accountCallOf, callOf } from "../harness/one-attempt.ts";

const timeouts = { connectMs: 1_000, totalMs: 10_000, submissionMs: 20_000 };
const answer = { status: 200, headers: {}, content: "{}" };

/** The attempts of a call, one after the other: what each is refused with; "ok" for an answer. */
type Script = readonly (Partial<RefusalDetails> | "ok")[];

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
function start(script: Script) {
  const left: number[] = [];
  const retries: Retries = { called: () => undefined, next: (attempt) => (attempt < 3 ? 0 : null) };
  const repeated = retry(async (_, { leftMs }) => {
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

it("a reconciliation query is made once, with renewed credentials a second time", async () => {
  const once = start([failed, "ok"]);
  expect(await once.go(searchApplications, { once: { probe: false } })).toBe("attempt 1");
  const renewing = start([renewed, failed, "ok"]);
  expect(await renewing.go(searchApplications, { once: { probe: true } })).toBe("attempt 2");
});

it("a submission of unknown outcome is not sent again, whatever becomes of the credentials", async () => {
  let attempts = 0;
  const repeated = retry(async () => {
    attempts += 1;
    throw new Refusal("OUTCOME_UNKNOWN", { detail: "", ...renewed });
  });
  const call = retriedCallOf({ called: () => undefined, next: () => 0 });
  await expect(repeated(createApplication, call)).rejects.toThrow(Refusal);
  expect(attempts).toBe(1);
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
