import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Submission, submission } from "../../src/contract/index.ts";
import {
  createGateway,
  GatewayError,
  OutcomeUnknownError,
  type Problem,
  type TokenSource,
  type Transport,
} from "../../src/index.ts";
import { file } from "../../src/schema/index.ts";
import { TransportError } from "../../src/transport/index.ts";
import { createPolicy, issuedPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";

/** Way in which one attempt of a call ends: a failure of the transport, an answer, or a success. */
type Try = { readonly fails: TransportError } | Answered | "success";

interface Answered {
  readonly problem: Pick<Problem, "code" | "outcome" | "retry"> & Partial<Problem>;
  readonly retryAfter?: number;
  readonly isReplayed?: true;
}

const connect = (
  phase: ConstructorParameters<typeof TransportError>[0],
  reason: ConstructorParameters<typeof TransportError>[1],
  detail?: string,
): Try => ({ fails: new TransportError(phase, reason, detail) });

const href = "/submissions/S-1";
/** All ways in which an attempt can end, by name. */
const tries: Readonly<Record<string, Try>> = {
  "a success": "success",
  "no connection": connect("connect", "failed", "ECONNREFUSED"),
  "no connection in time": connect("connect", "timeout"),
  "a closed client": connect("connect", "failed", "CLOSED"),
  "a lost answer": connect("wait", "failed", "ECONNRESET"),
  "no answer in time": connect("wait", "timeout"),
  "not now": {
    problem: { code: "PROVIDER_UNAVAILABLE", outcome: "not_sent", retry: "safe" },
    retryAfter: 1,
  },
  "not now, without a time": {
    problem: { code: "PROVIDER_UNAVAILABLE", outcome: "not_sent", retry: "safe" },
  },
  "refused, and put off": {
    problem: { code: "TOO_MANY", outcome: "rejected", retry: "safe" },
    retryAfter: 15,
  },
  "put off until after the deadline": {
    problem: { code: "TOO_MANY", outcome: "rejected", retry: "safe" },
    retryAfter: 60,
  },
  "put off for no time": {
    problem: { code: "TOO_MANY", outcome: "rejected", retry: "safe" },
    retryAfter: 0,
  },
  "over the limit, unread": {
    problem: { code: "RATE_LIMITED", outcome: "unknown", retry: "same_key" },
    retryAfter: 2,
  },
  "invalid, unread": {
    problem: { code: "VALIDATION_FAILED", outcome: "unknown", retry: "never" },
  },
  "over the limit, of a submission that is known": {
    problem: {
      code: "RATE_LIMITED",
      outcome: "unknown",
      retry: "same_key",
      reconciliation: { href },
    },
    retryAfter: 2,
  },
  unknown: {
    problem: {
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
      reconciliation: { href },
    },
    retryAfter: 3,
  },
  "unknown, to be checked": {
    problem: { code: "OUTCOME_UNKNOWN", outcome: "unknown", retry: "after_check" },
    retryAfter: 3,
  },
  rejected: { problem: { code: "PROVIDER_REJECTED", outcome: "rejected", retry: "never" } },
  executed: { problem: { code: "PROVIDER_BAD_RESPONSE", outcome: "executed", retry: "never" } },
  "a stored refusal": {
    problem: { code: "PROVIDER_UNAVAILABLE", outcome: "not_sent", retry: "safe" },
    retryAfter: 1,
    isReplayed: true,
  },
};

/** Provider and endpoint that every error of the submission names. */
const called = { provider: createPolicy.provider, endpoint: `POST ${createPolicy.path}` };

/**
 * Codes of refusals before the gateway reads the key, so the outcome of an earlier request with this key is unknown.
 */
const unread = ["RATE_LIMITED", "VALIDATION_FAILED"];

/** Returns the shortest and the longest wait after the named attempts, in milliseconds; null if no attempt follows. */
function waitAfter(names: readonly string[]): readonly [number, number] | null {
  const ended = names.map((name) => tries[name] ?? "success");
  const last = ended.at(-1) ?? "success";
  if (last === "success") return null;
  const backoff = [50 * 2 ** (names.length - 1), 100 * 2 ** (names.length - 1)] as const;
  if ("fails" in last) {
    const unanswered = ended.filter((one) => one !== "success" && "fails" in one).length;
    const isPassing = /ECONN/.test(last.fails.detail ?? "") && unanswered < 3;
    return isPassing ? backoff : null;
  }
  const { problem, retryAfter } = last;
  const isAdvised = problem.retry === "safe" || problem.retry === "same_key";
  if (!isAdvised || retryAfter === undefined || retryAfter >= 60) return null;
  const [least, most] = backoff;
  return [Math.max(retryAfter * 1_000, least), Math.max(retryAfter * 1_000, most)];
}

function outcomeOf(one: Exclude<Try, "success">): string {
  if ("problem" in one) return one.problem.outcome;
  return one.fails.phase === "connect" ? "not_sent" : "unknown";
}

/** Returns the expected result of a submission after several attempts. */
function conclusionOf(names: readonly string[], isKeyGiven: boolean): object | "success" {
  const ended = names.map((name) => tries[name] ?? "success");
  const last = ended.at(-1);
  if (last === undefined || last === "success") return "success";
  const outcome = outcomeOf(last);
  // These outcomes are final, regardless of earlier attempts.
  if (outcome === "rejected" || outcome === "executed") return { name: "ProblemError", outcome };
  const stored = ended.findLastIndex((one) => typeof one === "object" && "isReplayed" in one);
  const counted = ended.slice(Math.max(0, stored)).filter((one) => one !== "success");
  const isUnsent = (one: Exclude<Try, "success">): boolean =>
    outcomeOf(one) === "not_sent" ||
    ("problem" in one && unread.includes(one.problem.code) && !one.problem.reconciliation);
  if (!isKeyGiven && counted.every(isUnsent)) return { outcome: "not_sent" };
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
      const one = tries[names[sent.length - 1] ?? ""];
      if (one === undefined) throw new TypeError("The script has no further attempt");
      if (typeof one === "object" && "fails" in one) throw one.fails;
      const [status, content, more] =
        one === "success"
          ? [201, issuedPolicy, {}]
          : [503, { ...problemParts, detail: detailOf(one), ...one.problem }, headersOf(one)];
      const mediaType = one === "success" ? "application/json" : "application/problem+json";
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

const problemParts = {
  type: "about:blank",
  title: "A problem",
  status: 503,
  requestId: "req",
  provider: "provider-m",
};

/** Returns the gateway's detail for a request that it refused before it read the key. */
function detailOf({ problem: { code } }: Answered): string {
  return unread.includes(code)
    ? "It was not sent. The gateway does not know whether an earlier one with this key was sent."
    : "It failed.";
}

function headersOf(one: Answered) {
  return {
    ...(one.retryAfter === undefined ? {} : { "retry-after": String(one.retryAfter) }),
    ...(one.isReplayed === undefined ? {} : { "idempotency-replayed": "true" }),
  };
}

/** Waits for the end of a call, even after all its retries. */
async function endOf(call: Promise<unknown>): Promise<unknown> {
  const ended = call.then(
    () => "success",
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(60_000);
  return ended;
}

/** Returns every sequence of attempts that a call can have, with a success after the third failure. */
function sequences(before: readonly string[] = []): readonly (readonly string[])[] {
  if (before.length === 3) return [[...before, "a success"]];
  return Object.keys(tries).flatMap((name) => {
    const names = [...before, name];
    return waitAfter(names) === null ? [names] : sequences(names);
  });
}

describe("attempts of a submission", () => {
  it.each([true, false])(
    "the client makes the expected number of attempts and reports the expected outcome for every sequence of answers (chosen key: %s)",
    async (isKeyGiven) => {
      for (const names of sequences()) {
        const { gateway, sent } = scripted(names);
        const key = isKeyGiven ? { idempotencyKey: "key-1" } : {};
        const found = await endOf(gateway.call(createPolicy, { body: policyBody, ...key }));
        const tried = names.join(", ");
        expect(sent.length, tried).toBe(names.length);
        expect(new Set(sent.map((one) => one.key)).size, tried).toBe(1);
        for (const index of names.slice(0, -1).keys()) {
          const [least, most] = waitAfter(names.slice(0, index + 1)) ?? [];
          const waited = (sent[index + 1]?.at ?? 0) - (sent[index]?.at ?? 0);
          // The runtime's timers have whole milliseconds.
          expect(waited, tried).toBeGreaterThanOrEqual((least ?? 0) - 1);
          expect(waited, tried).toBeLessThanOrEqual((most ?? 0) + 1);
        }
        const conclusion = conclusionOf(names, isKeyGiven);
        if (conclusion === "success") expect(found, tried).toBe("success");
        else {
          expect(GatewayError.isInstance(found), tried).toBe(true);
          expect(found, tried).toMatchObject({ ...called, ...conclusion });
        }
        if (OutcomeUnknownError.isInstance(found)) {
          const key = found.idempotencyKey;
          expect(sent[0]?.key, tried).toBe(isKeyGiven ? key : `"${key}";generated`);
          const stored = names.lastIndexOf("a stored refusal");
          const counted = names.slice(Math.max(0, stored));
          const open = counted.some(
            (name) => outcomeNamed(name) === "unknown" && !name.endsWith("unread"),
          );
          expect(found.mayBeSent, tried).toBe(open);
          expect(String(found).includes("This call was not sent."), tried).toBe(!open);
          const known = counted.some((name) => knows(name));
          expect(found.submissionId, tried).toBe(known ? "S-1" : null);
        }
        // This call generated its key, so no earlier call had the key.
        if (!isKeyGiven && Reflect.get(Object(conclusion), "outcome") === "not_sent") {
          expect(Reflect.get(Object(found), "retry"), tried).not.toBe("same_key");
          expect(String(found), tried).not.toContain("undefined");
          const isDoubted = String(found).includes("does not know whether an earlier one");
          expect(String(found).includes("no earlier call sent this key."), tried).toBe(isDoubted);
          const last = tries[names.at(-1) ?? ""];
          if (typeof last === "object" && "problem" in last)
            expect(String(found), tried).toMatch(/[A-Z]\. (It was not sent|It failed)\./);
        }
      }
    },
  );

  function outcomeNamed(name: string): string {
    const one = tries[name];
    return one === undefined || one === "success" ? "" : outcomeOf(one);
  }

  function knows(name: string): boolean {
    const one = tries[name];
    return typeof one === "object" && "problem" in one && one.problem.reconciliation !== undefined;
  }

  it("the client makes only one attempt for a submission whose body can be read only once", async () => {
    const upload: Submission<{ body: unknown; response: unknown }> = submission<{
      body: unknown;
      response: unknown;
    }>({
      provider: "provider-m",
      path: "/files",
      body: { required: true, media: { "application/pdf": file() } } as never,
      response: { 201: createPolicy.response[201] } as never,
      idempotency: "none",
    } as never);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("%PDF-");
    }
    for (const [content, sends] of [
      [pieces(), 1],
      [Buffer.from("%PDF-"), 2],
    ] as const) {
      const { gateway, sent } = scripted(["no connection", "a success"]);
      const body = { mediaType: "application/pdf", content };
      const found = await endOf(gateway.call(upload as typeof createPolicy, { body } as never));
      expect(sent).toHaveLength(sends);
      if (sends === 1) expect(found).toMatchObject({ outcome: "not_sent", retry: "safe" });
      else expect(found).toBe("success");
    }
  });
});

it("the client repeats a lookup by the same rules as a submission, and reports the last failure", async () => {
  // The attempts do not depend on one another, so a part of the sequences is enough.
  const all = sequences().filter(([first, second], index) => first === second || index % 5 === 0);
  for (const names of all) {
    if (names.at(-1) === "a success") continue;
    const { gateway, sent } = scripted(names);
    const found = await endOf(gateway.call(listBrands));
    expect(sent.map(({ key }) => key)).toEqual(names.map(() => undefined));
    const last = tries[names.at(-1) ?? ""];
    if (last === undefined || last === "success") continue;
    const outcome = outcomeOf(last);
    const retry = "problem" in last ? last.problem.retry : "safe";
    expect(found, names.join(", ")).toMatchObject({ outcome, retry });
    expect(OutcomeUnknownError.isInstance(found)).toBe(false);
  }
});

it("a finished or cancelled call leaves no timer, so the process can end", async () => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const input = { body: policyBody, signal };
  await scripted(["a success"], async () => "t").gateway.call(createPolicy, input);
  expect(vi.getTimerCount()).toBe(0);
  const silent = (): Promise<string> => new Promise(() => undefined);
  const asking = failureOf(scripted([], silent).gateway.call(createPolicy, input));
  const waiting = failureOf(scripted(["not now"]).gateway.call(createPolicy, input));
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(2);
  leaving.abort();
  expect(await Promise.all([asking, waiting])).toMatchObject([
    { code: "CANCELLED" },
    { code: "CANCELLED" },
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

it("the client starts no attempt after the deadline, and reports the failure at once", async () => {
  for (const [timeout, sends] of [
    [3_000, 1],
    [3_001, 2],
  ] as const) {
    const { gateway, sent } = scripted(["unknown", "a success"]);
    const input = { body: policyBody, timeout };
    const found = await endOf(gateway.call(createPolicy, input));
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
