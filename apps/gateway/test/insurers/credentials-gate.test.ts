import { Readable } from "node:stream";
import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { Refusal, type RefusalDetails } from "@insurance-gateway/core/runtime";
import { createApplication, providerD, searchApplications } from "@insurance-gateway/provider-d";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCredentialsGate } from "../../src/insurers/account/credentials-gate.ts";
import { gateSubmissions as gateStep } from "../../src/insurers/account/gate.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { Call, OpenedAccount, UpstreamCall } from "../../src/insurers/call.ts";
import { applicationBody } from "../harness/applications.ts";
import { callOf } from "../harness/one-attempt.ts";

const answer: UpstreamAnswer = { status: 200, headers: {}, content: "{}" };

/**
 * Possible ends of a call to the insurer, each with the error details that show whether the insurer accepts the
 * credentials.
 */
const ends = {
  succeeds: null,
  "is answered with a refusal": { attempt: "answered" },
  "has an answer that cannot be used": { attempt: "unusable" },
  fails: { attempt: "failed" },
  "does not reach the insurer": {},
  "is refused for its credentials": { attempt: "unusable", credentialsRefused: true },
  "is refused for credentials that have been replaced": {
    attempt: "unusable",
    credentialsRefused: true,
    credentialsReplaced: true,
  },
} as const satisfies Readonly<Record<string, Partial<RefusalDetails> | null>>;
type End = keyof typeof ends;
const allEnds = Object.keys(ends) as End[]; // the keys of a constant

function refusal(details: Partial<RefusalDetails>): Refusal {
  return new Refusal("PROVIDER_AUTH_FAILED", { detail: "", ...details });
}

function applicationCall(more: Partial<UpstreamCall> = {}): UpstreamCall {
  const input = { params: {}, query: {}, headers: {}, body: applicationBody("123456789") };
  return callOf({ scenario: "SCENARIO", input, submissionId: "our-id", ...more });
}

/** Starts a credentials gate. The test sets with `let` how the calls to the insurer end. */
function startGate(provider: Provider = providerD) {
  const called: (readonly [Endpoint, UpstreamCall])[] = [];
  let now = 0;
  let recoveries = 0;
  let refusals = 0;
  let carryOut: Call = async () => answer;
  const gate = createCredentialsGate({
    now: () => now,
    refused: () => {
      refusals += 1;
    },
    recovered: () => {
      recoveries += 1;
    },
  });
  const pass = gateStep({ provider, now: () => now })((endpoint, call) => {
    called.push([endpoint, call]);
    return carryOut(endpoint, call);
  });
  return {
    called,
    recoveries: () => recoveries,
    replaceCredentials: () => gate.credentialsReplaced(),
    /** Returns how often the insurer began to refuse the credentials. */
    refusals: () => refusals,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    let(behaviour: Call) {
      carryOut = behaviour;
    },
    /**
     * Sends a call through the gate. Returns `answered`, or the reason why the gate or the insurer refused the call.
     */
    async ask(endpoint: Endpoint, call = applicationCall()): Promise<string> {
      const opened = { gate } as OpenedAccount; // all that the gate reads
      const ended = pass(endpoint, Object.assign(call, { opened }));
      return ended.then(
        () => "answered",
        (error: unknown) =>
          error instanceof Refusal ? (error.details.reason ?? "refused") : String(error),
      );
    },
  };
}

const ending = (end: End): Call => {
  const details = ends[end];
  return async () => {
    if (details !== null) throw refusal(details);
    return answer;
  };
};

const HELD = "credentials_refused";
/**
 * Minimum time between two calls that try refused credentials, in milliseconds: `decisions.md`, "Submissions, second
 * reading", 4.
 */
const TRY_EVERY_MS = 10_000;

describe("submissions after refused credentials", () => {
  /** One call of a sequence. `own` is the end of this call; `read` is the end of a read that tries the credentials. */
  interface Step {
    readonly afterMs: number;
    readonly isSubmission: boolean;
    readonly read: End;
    readonly own: End;
  }
  const step: fc.Arbitrary<Step> = fc.record({
    afterMs: fc.constantFrom(0, 1, 4_999, 5_000, 9_999, 10_000),
    isSubmission: fc.boolean(),
    read: fc.constantFrom(...allEnds),
    own: fc.constantFrom(...allEnds),
  });

  /** Returns the calls that reach the insurer in each step: a read that tries the credentials, or the call itself. */
  function expected(steps: readonly Step[]): readonly object[] {
    let now = 0;
    let isRefused = false;
    let tryFrom = 0;
    let recoveries = 0;
    let refusals = 0;
    const see = (end: End): void => {
      const details: Partial<RefusalDetails> | null = ends[end];
      if (details?.credentialsRefused === true) {
        if (!isRefused) refusals += 1;
        isRefused = true;
        tryFrom = details.credentialsReplaced === true ? now : now + TRY_EVERY_MS;
      } else if (isRefused && (details === null || details.attempt === "answered")) {
        isRefused = false;
        recoveries += 1;
      }
    };
    return steps.map(({ afterMs, isSubmission, own, read }) => {
      now += afterMs;
      const called: string[] = [];
      if (isSubmission && isRefused && now >= tryFrom) {
        tryFrom = now + TRY_EVERY_MS;
        called.push("trial");
        see(read);
        if (ends[read] !== null && !("attempt" in ends[read])) tryFrom = now;
      }
      const isHeld = isSubmission && isRefused;
      if (!isHeld) {
        called.push("call");
        see(own);
      }
      return { called, isHeld, recoveries, refusals };
    });
  }

  it("the gateway sends or refuses submissions after refused credentials as a simple model predicts, in random sequences of calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const gate = startGate();
        const found: object[] = [];
        for (const { afterMs, isSubmission, own, read } of steps) {
          gate.pass(afterMs);
          const asked = applicationCall();
          gate.let((endpoint, call) => ending(call === asked ? own : read)(endpoint, call));
          const before = gate.called.length;
          const said = await gate.ask(isSubmission ? createApplication : searchApplications, asked);
          const called = gate.called
            .slice(before)
            .map(([, call]) => (call === asked ? "call" : "trial"));
          const [recoveries, refusals] = [gate.recoveries(), gate.refusals()];
          found.push({ called, isHeld: said === HELD, recoveries, refusals });
        }
        expect(found).toEqual(expected(steps));
      }),
      { numRuns: 500 },
    );
  });

  it("the gateway sends a submission at once after new credentials have replaced the refused credentials", async () => {
    const gate = startGate();
    gate.let(ending("is refused for its credentials"));
    await gate.ask(createApplication);
    gate.let(ending("succeeds"));
    expect(await gate.ask(createApplication)).toBe(HELD);
    gate.replaceCredentials();
    expect(await gate.ask(createApplication)).toBe("answered");
  });

  it("an internal error of the gateway reaches the caller unchanged, and does not change the state of the account's credentials", async () => {
    const gate = startGate();
    gate.let(ending("is refused for its credentials"));
    await gate.ask(createApplication);
    gate.let(() => Promise.reject(new TypeError("A fault")));
    expect(await gate.ask(searchApplications)).toBe("TypeError: A fault");
    expect(await gate.ask(createApplication)).toBe(HELD);
  });
});

describe("the read that tries refused credentials", () => {
  async function trialOf(
    provider: Provider,
  ): Promise<readonly (readonly [Endpoint, UpstreamCall])[]> {
    const gate = startGate(provider);
    gate.let(ending("is refused for its credentials"));
    await gate.ask(createApplication);
    gate.pass(TRY_EVERY_MS);
    await gate.ask(createApplication);
    return gate.called.slice(1);
  }
  const withEndpoints = (endpoints: Readonly<Record<string, Endpoint>>): Provider => ({
    ...providerD,
    endpoints: { ...endpoints, createApplication },
  });
  const { query, ...plainSearch } = searchApplications;
  // This endpoint has no parameters. It has every member that the gate reads.
  const plain = { ...plainSearch, kind: "read" } as unknown as Endpoint;
  const withParams = { ...plain, params: query } as Endpoint;
  const withQuery = { ...plain, query } as Endpoint;

  it("the gateway tries refused credentials with the first read without parameters, and sends no data of the caller", async () => {
    for (const kind of ["lookup", "read"] as const) {
      const free = { ...plain, kind } as Endpoint;
      const found = await trialOf(
        withEndpoints({ withParams, withQuery, free, searchApplications }),
      );
      expect(found).toHaveLength(1);
      expect(found[0]?.[0]).toBe(free);
      expect(found[0]?.[1]).toMatchObject({
        submissionId: null,
        scenario: undefined,
        once: { probe: false },
        input: { params: {}, query: {}, headers: {}, body: undefined },
      });
    }
  });

  it("the gateway tries refused credentials with the reconciliation search of the waiting submission if every read needs parameters", async () => {
    const [trial, ...more] = await trialOf(withEndpoints({ withParams, searchApplications }));
    expect(more).toEqual([]);
    expect(trial?.[0]).toBe(searchApplications);
    expect(trial?.[1]).toMatchObject({
      submissionId: null,
      scenario: undefined,
      once: { probe: false },
      input: { query: { clientAfm: "123456789", start: 1, limit: 1 } },
    });
  });

  it("the gateway tries refused credentials with a read, and receives the whole answer, so that a file releases its memory", async () => {
    const gate = startGate();
    gate.let(ending("is refused for its credentials"));
    await gate.ask(createApplication);
    gate.pass(TRY_EVERY_MS);
    const content = Readable.from(["a", "b"]);
    gate.let(async (endpoint) =>
      endpoint === searchApplications ? { ...answer, content } : answer,
    );
    expect(await gate.ask(createApplication)).toBe("answered");
    expect(content.readableEnded).toBe(true);
  });

  it("the gateway tries refused credentials with one submission every ten seconds if the provider has no read", async () => {
    const gate = startGate(withEndpoints({}));
    gate.let(ending("is refused for its credentials"));
    const said: string[] = [];
    for (const afterMs of [0, 0, 9_999, 1, 9_999, 1]) {
      gate.pass(afterMs);
      said.push(await gate.ask(createApplication));
    }
    expect(said).toEqual(["refused", HELD, HELD, "refused", HELD, "refused"]);
    gate.pass(TRY_EVERY_MS);
    gate.let(ending("succeeds"));
    expect([await gate.ask(createApplication), gate.recoveries()]).toEqual(["answered", 1]);
  });
});
