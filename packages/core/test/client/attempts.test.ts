import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  createGateway,
  GatewayError,
  OutcomeUnknownError,
  type Problem,
  type TokenSource,
  type Transport,
} from "../../src/index.ts";
import { TransportError } from "../../src/transport/index.ts";
import { createPolicy, issuedPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";

/** Way in which one attempt of a call ends: a failure of the transport, an answer, or a success. */
type AttemptEnd = Failure | "success";
type Failure = { readonly fails: TransportError } | Answered;

interface Answered {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;
}

const fails = (...given: ConstructorParameters<typeof TransportError>): Failure => ({
  fails: new TransportError(...given),
});

/** Codes of refusals before the gateway reads the key. The outcome of earlier requests with the key is unknown then. */
const unread = ["RATE_LIMITED", "VALIDATION_FAILED"];

const answers = (
  code: string,
  outcome: Problem["outcome"],
  retry: Problem["retry"],
  retryAfter?: number,
  more: Pick<Problem, "reconciliation"> = {},
): Answered => ({
  retryAfter,
  headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  problem: {
    type: "about:blank",
    title: "A problem",
    status: 503,
    code,
    detail: unread.includes(code)
      ? "It was not sent. The gateway does not know whether an earlier one with this key was sent."
      : "It failed.",
    requestId: "req",
    provider: "provider-m",
    outcome,
    retry,
    ...more,
  },
});

const known = { reconciliation: { href: "/submissions/S-1" } };
const notNow = answers("PROVIDER_UNAVAILABLE", "not_sent", "safe", 1);
/** All ways in which an attempt can end, by name. */
const attemptEnds: Readonly<Record<string, AttemptEnd>> = {
  "a success": "success",
  "no connection": fails("connect", "failed", "ECONNREFUSED"),
  "no connection in time": fails("connect", "timeout"),
  "a closed client": fails("connect", "failed", "CLOSED"),
  "a lost answer": fails("wait", "failed", "ECONNRESET"),
  "no answer in time": fails("wait", "timeout"),
  "not now": notNow,
  "not now, without a time": answers("PROVIDER_UNAVAILABLE", "not_sent", "safe"),
  "refused, and put off": answers("TOO_MANY", "rejected", "safe", 15),
  "put off until after the deadline": answers("TOO_MANY", "rejected", "safe", 60),
  "put off for no time": answers("TOO_MANY", "rejected", "safe", 0),
  "over the limit, unread": answers("RATE_LIMITED", "unknown", "same_key", 2),
  "invalid, unread": answers("VALIDATION_FAILED", "unknown", "never"),
  "over the limit, of a known submission": answers("RATE_LIMITED", "unknown", "same_key", 2, known),
  unknown: answers("OUTCOME_UNKNOWN", "unknown", "same_key", 3, known),
  "unknown, to be checked": answers("OUTCOME_UNKNOWN", "unknown", "after_check", 3),
  rejected: answers("PROVIDER_REJECTED", "rejected", "never"),
  executed: answers("PROVIDER_BAD_RESPONSE", "executed", "never"),
  "a stored refusal": {
    ...notNow,
    headers: { "retry-after": "1", "idempotency-replayed": "true" },
  },
};

/** Provider and endpoint that every error of the submission names. */
const called = { provider: createPolicy.provider, endpoint: `POST ${createPolicy.path}` };

/** Reports whether the gateway answered before it read the key. */
function isUnread(one: Failure): boolean {
  return "problem" in one && unread.includes(one.problem.code) && !one.problem.reconciliation;
}

function outcomeOf(one: Failure): string {
  if ("problem" in one) return one.problem.outcome;
  return one.fails.phase === "connect" ? "not_sent" : "unknown";
}

/** Returns the way in which the last of several attempts ended. */
function lastOf(names: readonly string[]): AttemptEnd {
  return attemptEnds[names.at(-1) ?? ""] ?? "success";
}

/** Returns the failures that count for the outcome: the last stored answer, and all later failures. */
function countedFailures(names: readonly string[]): readonly Failure[] {
  const stored = names.lastIndexOf("a stored refusal");
  return names
    .slice(Math.max(0, stored))
    .map((name) => attemptEnds[name] ?? "success")
    .filter((one) => one !== "success");
}

/** Returns the shortest and the longest wait after the named attempts, in milliseconds; null if no attempt follows. */
function waitAfter(names: readonly string[]): readonly [number, number] | null {
  const last = lastOf(names);
  if (last === "success") return null;
  const [least, most] = [50 * 2 ** (names.length - 1), 100 * 2 ** (names.length - 1)];
  if ("fails" in last) {
    const unanswered = names.filter((name) => "fails" in Object(attemptEnds[name])).length;
    const isPassing = /ECONN/.test(last.fails.detail ?? "") && unanswered < 3;
    return isPassing ? [least, most] : null;
  }
  const { problem, retryAfter } = last;
  const isAdvised = problem.retry === "safe" || problem.retry === "same_key";
  if (!isAdvised || retryAfter === undefined || retryAfter >= 60) return null;
  return [Math.max(retryAfter * 1_000, least), Math.max(retryAfter * 1_000, most)];
}

/** Returns the expected result of a submission after several attempts. */
function conclusionOf(names: readonly string[], isKeyGiven: boolean): object | "success" {
  const last = lastOf(names);
  if (last === "success") return "success";
  const outcome = outcomeOf(last);
  // These outcomes are final, regardless of earlier attempts.
  if (outcome === "rejected" || outcome === "executed") return { name: "ProblemError", outcome };
  const counted = countedFailures(names);
  if (!isKeyGiven && counted.every((one) => outcomeOf(one) === "not_sent" || isUnread(one)))
    return { outcome: "not_sent" };
  const isAnswered = counted.some((one) => "problem" in one);
  const isOpen = counted.some((one) => outcomeOf(one) === "unknown");
  return isOpen || (isKeyGiven && !isAnswered)
    ? { name: "OutcomeUnknownError", outcome: "unknown" }
    : { outcome };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Returns a client whose attempts end in the named ways, with the time and the key of each attempt. */
function scripted(names: readonly string[], token: TokenSource = "t") {
  const sent: { readonly at: number; readonly key: string | undefined }[] = [];
  const transport: Transport = {
    async send({ headers }) {
      sent.push({ at: performance.now(), key: headers["idempotency-key"] });
      const one = attemptEnds[names[sent.length - 1] ?? ""];
      if (one === undefined) throw new TypeError("The script has no further attempt");
      if (typeof one === "object" && "fails" in one) throw one.fails;
      const isSuccess = one === "success";
      const [status, content] = isSuccess ? [201, issuedPolicy] : [503, one.problem];
      const mediaType = isSuccess ? "application/json" : "application/problem+json";
      const more = isSuccess ? {} : one.headers;
      return {
        status,
        headers: { "content-type": mediaType, "x-request-id": `req-${sent.length}`, ...more },
        body: {
          text: async () => JSON.stringify(content),
          stream: async function* () {},
          discard: () => undefined,
        },
      };
    },
    close: async () => undefined,
  };
  const gateway = createGateway({ baseUrl: "http://gateway.example", token, transport });
  return { sent, gateway };
}

/** Advances the time by a minute, longer than all retries, and returns the call's result. */
async function endOf(call: Promise<unknown>): Promise<unknown> {
  const ended = call.then(() => "success").catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  return ended;
}

/** Returns every sequence of attempts that a call can have, with a success after the third failure. */
function sequences(before: readonly string[] = []): readonly (readonly string[])[] {
  if (before.length === 3) return [[...before, "a success"]];
  return Object.keys(attemptEnds).flatMap((name) => {
    const names = [...before, name];
    return waitAfter(names) === null ? [names] : sequences(names);
  });
}

it.each([true, false])(
  "the client repeats a call only if every earlier answer allows it, and reports the outcome that all answers together prove (chosen key: %s)",
  async (isKeyGiven) => {
    for (const names of sequences()) {
      const { gateway, sent } = scripted(names);
      const key = isKeyGiven ? { idempotencyKey: "key-1" } : {};
      const found = await endOf(gateway.call(createPolicy, { body: policyBody, ...key }));
      const sequence = names.join(", ");
      expect(sent.length, sequence).toBe(names.length);
      expect(new Set(sent.map((one) => one.key)).size, sequence).toBe(1);
      for (const index of names.slice(0, -1).keys()) {
        const [least, most] = waitAfter(names.slice(0, index + 1)) ?? [];
        const waited = (sent[index + 1]?.at ?? 0) - (sent[index]?.at ?? 0);
        // The runtime's timers have whole milliseconds.
        expect(waited, sequence).toBeGreaterThanOrEqual((least ?? 0) - 1);
        expect(waited, sequence).toBeLessThanOrEqual((most ?? 0) + 1);
      }
      const conclusion = conclusionOf(names, isKeyGiven);
      if (conclusion === "success") expect(found, sequence).toBe("success");
      else {
        expect(GatewayError.isInstance(found), sequence).toBe(true);
        expect(found, sequence).toMatchObject({ ...called, ...conclusion });
      }
      if (OutcomeUnknownError.isInstance(found)) {
        const key = found.idempotencyKey;
        expect(sent[0]?.key, sequence).toBe(isKeyGiven ? key : `"${key}";generated`);
        const counted = countedFailures(names);
        const open = counted.some((one) => outcomeOf(one) === "unknown" && !isUnread(one));
        expect(found.mayBeSent, sequence).toBe(open);
        expect(String(found).includes("This call was not sent."), sequence).toBe(!open);
        const isNamed = counted.some((one) => "problem" in one && one.problem.reconciliation);
        expect(found.submissionId, sequence).toBe(isNamed ? "S-1" : null);
      }
      // This call generated its key, so no earlier call had the key.
      if (!isKeyGiven && Reflect.get(Object(conclusion), "outcome") === "not_sent") {
        expect(Reflect.get(Object(found), "retry"), sequence).not.toBe("same_key");
        expect(String(found), sequence).not.toContain("undefined");
        const isDoubted = String(found).includes("does not know whether an earlier one");
        expect(String(found).includes("no earlier call sent this key."), sequence).toBe(isDoubted);
        if ("problem" in Object(lastOf(names)))
          expect(String(found), sequence).toMatch(/[A-Z]\. (It was not sent|It failed)\./);
      }
    }
  },
);

it("the client repeats a lookup by the same rules as a submission, and reports the last failure", async () => {
  // The attempts do not depend on one another, so a part of the sequences is enough.
  const all = sequences().filter(([first, second], index) => first === second || index % 5 === 0);
  for (const names of all) {
    const last = lastOf(names);
    if (last === "success") continue;
    const { gateway, sent } = scripted(names);
    const found = await endOf(gateway.call(listBrands));
    expect(sent.map(({ key }) => key)).toEqual(names.map(() => undefined));
    const outcome = outcomeOf(last);
    const retry = "problem" in last ? last.problem.retry : "safe";
    expect(found, names.join(", ")).toMatchObject({ outcome, retry });
    expect(OutcomeUnknownError.isInstance(found)).toBe(false);
  }
});

it("a finished or cancelled call leaves no timer, so the process can end", async () => {
  const leaving = new AbortController();
  const input = { body: policyBody, signal: leaving.signal };
  await scripted(["a success"], async () => "t").gateway.call(createPolicy, input);
  expect(vi.getTimerCount()).toBe(0);
  const silent = (): Promise<string> => new Promise(() => undefined);
  const asking = failureOf(scripted([], silent).gateway.call(createPolicy, input));
  const waiting = failureOf(scripted(["not now"]).gateway.call(createPolicy, input));
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(2);
  leaving.abort();
  const cancelled = { code: "CANCELLED" };
  expect(await Promise.all([asking, waiting])).toMatchObject([cancelled, cancelled]);
  expect(vi.getTimerCount()).toBe(0);
});

it("the client starts no attempt after the deadline, and reports the failure at once", async () => {
  for (const [timeout, sends] of [
    [3_000, 1],
    [3_001, 2],
  ] as const) {
    const { gateway, sent } = scripted(["unknown", "a success"]);
    const found = await endOf(gateway.call(createPolicy, { body: policyBody, timeout }));
    expect(sent).toHaveLength(sends);
    expect(OutcomeUnknownError.isInstance(found)).toBe(sends === 1);
  }
});

it("the client starts no further attempt, and removes the signal's listener, if a call's signal aborts while an attempt ends", async () => {
  let isOver = false;
  const listeners = new Set<() => void>();
  const signal = {
    get aborted() {
      return isOver;
    },
    addEventListener: (_: "abort", listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: "abort", listener: () => void) => void listeners.delete(listener),
  };
  const waiting = scripted(["not now", "a success"]);
  await endOf(waiting.gateway.call(createPolicy, { body: policyBody, signal }));
  expect([waiting.sent.length, listeners.size]).toEqual([2, 0]);
  const { gateway, sent } = scripted(["not now", "a success"]);
  const call = endOf(gateway.call(createPolicy, { body: policyBody, signal }));
  isOver = true;
  expect(await call).toMatchObject({ code: "CANCELLED", outcome: "not_sent" });
  expect(sent).toHaveLength(1);
});
