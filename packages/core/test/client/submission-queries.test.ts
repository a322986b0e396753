import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Gateway,
  type GatewayOptions,
  memoryKeyStore,
  type ResolveOptions,
  type SubmissionResult,
} from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import {
  cancelPolicy,
  createPolicy,
  issuedPolicy,
  listBrands,
  type Policy,
  policyBody,
} from "../harness/declarations.ts";
import { holdTime } from "../harness/held-time.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { json, problem, reset, submissionNotFound, submissionStatus } from "../harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";
import { signalOfWait } from "../harness/signal-of-wait.ts";

const outcomeUnknown = problem({
  status: 504,
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry: "same_key",
  reconciliation: { href: "/submissions/S-1" },
});
const carriedOut = submissionStatus("succeeded", {
  insurerId: "M-1",
  answer: { status: 201, body: issuedPolicy },
});
const rejected = submissionStatus("failed", {
  answer: {
    status: 422,
    body: { code: "PROVIDER_REJECTED", outcome: "rejected", retry: "never", detail: "No." },
  },
});

/** Answers to a query whose result is the same for `resolve` and for `resume`. */
const answers: readonly (readonly [string, Reply, object])[] = [
  ["`succeeded`", carriedOut, { outcome: "succeeded", data: issuedPolicy, replayed: true }],
  [
    "`executed` if the answer is not stored",
    submissionStatus("succeeded", { insurerId: "M-1" }),
    { outcome: "executed", insurerId: "M-1" },
  ],
  ["`rejected`", rejected, { outcome: "rejected" }],
  [
    "`unknown` with the time of the next query if the gateway refuses the token",
    problem({ status: 401, code: "UNAUTHENTICATED", outcome: "unknown", retry: "never" }),
    { outcome: "unknown", error: { code: "UNAUTHENTICATED" }, askAgainAt: expect.any(Date) },
  ],
];

describe("resolve", () => {
  /** Sends a submission that ends with the outcome `unknown`. The queries of `resolve` are sent to the same server. */
  async function submitUnknown(
    script: readonly Reply[],
    options: Partial<GatewayOptions> = {},
  ): Promise<{
    readonly gateway: Gateway;
    readonly resolve: (options?: ResolveOptions) => Promise<SubmissionResult<Policy>>;
    readonly server: ScriptedServer;
  }> {
    const server = await scriptedServer(...script);
    const gateway = connect(server.address, options);
    const result = await gateway.submit(createPolicy, { body: policyBody, key: "case-1" });
    if (result.outcome !== "unknown") throw new Error(`The outcome is ${result.outcome}`);
    return { gateway, resolve: (given) => result.error.resolve(given), server };
  }

  const methodsOf = ({ arrivals }: ScriptedServer): readonly string[] =>
    arrivals.map(({ method }) => method);

  it.each<readonly [string, Reply, object]>([
    ...answers,
    [
      "`unknown` if a person must find out the outcome",
      submissionStatus("needs_review"),
      { outcome: "unknown" },
    ],
    [
      "`unknown` if the gateway does not have the submission that it named",
      submissionNotFound,
      { outcome: "unknown", submissionId: "S-1", askAgainAt: null },
    ],
    [
      "`unknown` if another server answers",
      json({}, 404),
      { outcome: "unknown", error: { code: "RESPONSE_INVALID" } },
    ],
  ])("`resolve` queries the gateway once and returns %s", async (_, reply, expected) => {
    const { resolve, server } = await submitUnknown([outcomeUnknown, reply]);
    expect(await resolve()).toMatchObject(expected);
    expect(methodsOf(server)).toEqual(["POST", "GET"]);
  });

  it("`resolve` queries the gateway again until the submission has a result, even after a failed query", async () => {
    const open = submissionStatus("outcome_unknown", { askAgainAt: new Date().toISOString() });
    const script = [outcomeUnknown, open, problem({}), carriedOut];
    const { resolve, server } = await submitUnknown(script);
    expect(await resolve()).toMatchObject({ outcome: "succeeded" });
    expect(methodsOf(server)).toEqual(["POST", "GET", "GET", "GET"]);
  });

  it("`resolve` queries the gateway by key, not by ID, if no answer named the submission", async () => {
    const { resolve, server } = await submitUnknown([reset, reset, reset, submissionNotFound]);
    expect(await resolve()).toMatchObject({ outcome: "not_sent", retry: "same_key" });
    expect(server.arrivals.at(-1)?.headers["idempotency-key"]).toBe('"case-1"');
  });

  it("`resolve` returns `unknown` at once if the token is malformed", async () => {
    vi.stubEnv("GATEWAY_TOKEN", "token-1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { resolve } = await submitUnknown([outcomeUnknown], { token: undefined });
    vi.stubEnv("GATEWAY_TOKEN", "two words");
    expect(await resolve()).toMatchObject({
      outcome: "unknown",
      error: { code: "TOKEN_UNAVAILABLE" },
    });
  });

  it("`resolve` returns `unknown` without a query if the client is closed", async () => {
    const { gateway, resolve, server } = await submitUnknown([outcomeUnknown]);
    await gateway.close();
    expect(await resolve()).toMatchObject({ outcome: "unknown" });
    expect(methodsOf(server)).toEqual(["POST"]);
  });

  it("`resolve` returns `unknown` at once if the client is closed while `resolve` waits", async () => {
    const later = { askAgainAt: new Date(Date.now() + 3_600_000).toISOString() };
    const open = submissionStatus("outcome_unknown", later);
    const { gateway, resolve, server } = await submitUnknown([outcomeUnknown, open]);
    const resolved = resolve();
    await expect.poll(() => server.arrivals).toHaveLength(2);
    await gateway.close();
    expect(await resolved).toMatchObject({ outcome: "unknown" });
    expect(methodsOf(server)).toEqual(["POST", "GET"]);
  });

  it("`resolve` returns `unknown` at once if the signal aborts or the time limit passes", async () => {
    const { resolve } = await submitUnknown([outcomeUnknown, submissionStatus("in_flight")]);
    for (const options of [{ signal: AbortSignal.abort() }, { timeout: 500 }])
      expect(await resolve(options)).toMatchObject({ outcome: "unknown" });
  });
});

describe("resume", () => {
  /** Resumes the submissions of some keys. The script has the replies to the queries, in order. */
  async function resume(
    script: readonly Reply[],
    keys: readonly string[] = ["case-1"],
    client: Partial<GatewayOptions> = {},
    options: ResolveOptions = {},
  ): Promise<[readonly SubmissionResult[], ScriptedServer]> {
    const store = memoryKeyStore();
    for (const key of keys)
      await store.add({ key, provider: "provider-m", endpoint: "POST /policies" });
    const server = await scriptedServer(...script);
    const gateway = connect(server.address, client);
    const resumed = await gateway.resume(store, [createPolicy, cancelPolicy], options);
    return [resumed.map(({ result }) => result), server];
  }

  it.each<readonly [string, Reply, object]>([
    ...answers,
    [
      "`unknown` if the submission is still running",
      submissionStatus("in_flight"),
      { outcome: "unknown", submissionId: "S-1" },
    ],
    [
      "`not_sent` with the advice to submit with the same key",
      submissionNotFound,
      { outcome: "not_sent", retry: "same_key" },
    ],
    [
      "`unknown` if the connection to the gateway fails",
      reset,
      { outcome: "unknown", submissionId: null },
    ],
    [
      "`unknown` until a Retry-After that is longer than the time limit",
      problem({ status: 503, code: "OVERLOADED" }, { "retry-after": "120" }),
      { outcome: "unknown", askAgainAt: expect.any(Date), error: { retryAfterSeconds: 120 } },
    ],
  ])(
    "`resume` queries each key, sends no submission and returns %s",
    async (_, reply, expected) => {
      const [results, server] = await resume([reply]);
      expect(results).toMatchObject([{ key: "case-1", ...expected }]);
      expect(new Set(server.arrivals.map(({ method }) => method))).toEqual(new Set(["GET"]));
      expect(server.arrivals[0]?.headers["idempotency-key"]).toBe('"case-1"');
    },
  );

  const three = ["case-1", "case-2", "case-3"];
  const timedOut = { outcome: "unknown", error: { code: "TIMEOUT" } };

  it("`resume` queries every key, even if earlier queries time out", async () => {
    holdTime();
    const late: Reply = () => void vi.advanceTimersByTime(1_000);
    const [results] = await resume([late, late, carriedOut], three, { timeout: 1_000 });
    expect(results).toMatchObject([timedOut, timedOut, { outcome: "succeeded" }]);
  });

  it("`resume` waits while the gateway limits the queries, even if the wait is longer than the timeout of one query", async () => {
    holdTime();
    const limited = problem({ status: 429, code: "RATE_LIMITED" }, { "retry-after": "1" });
    const waiting = Promise.withResolvers<unknown>();
    const signal = signalOfWait(waiting.resolve);
    const script = [limited, carriedOut, rejected];
    const resumed = resume(script, three, { timeout: 900 }, { signal });
    await waiting.promise;
    vi.advanceTimersByTime(1_000);
    const [results, server] = await resumed;
    expect(results.map(({ outcome }) => outcome)).toEqual(["succeeded", "rejected", "rejected"]);
    expect(server.arrivals).toHaveLength(4);
  });

  it("`resume` returns the time of the next query if the gateway limits the queries for longer than the time limit", async () => {
    const limited = problem({ status: 429, code: "RATE_LIMITED" }, { "retry-after": "120" });
    const [results] = await resume([limited], three, {}, { timeout: 5_000 });
    const open = { outcome: "unknown", error: { code: "RATE_LIMITED", retryAfterSeconds: 120 } };
    expect(results).toMatchObject([{ ...open, askAgainAt: expect.any(Date) }, open, open]);
  });

  it("`resume` returns TIMEOUT for each key whose query did not end within the time limit", async () => {
    holdTime();
    const late: Reply = () => void vi.advanceTimersByTime(50);
    const [results, server] = await resume([late], three, {}, { timeout: 50 });
    expect(results).toMatchObject([timedOut, timedOut, timedOut]);
    expect(server.arrivals).toHaveLength(1);
  });

  it("`resume` throws an error if the store has a key of an endpoint that was not passed", async () => {
    const store = memoryKeyStore();
    await store.add({ key: "k", provider: "provider-x", endpoint: "POST /claims" });
    await expect(connect(NOBODY_LISTENS).resume(store, [createPolicy])).rejects.toThrow(
      "the store has keys of provider-x POST /claims: pass its endpoint to resume()",
    );
  });
});

describe("submissionByKey", () => {
  it("`submissionByKey` returns the state of the submission that was sent with the key", async () => {
    const server = await scriptedServer(carriedOut);
    const found = await connect(server.address).submissionByKey(createPolicy, 'a"b');
    expect(found).toMatchObject({ submissionId: "S-1", state: "succeeded", insurerId: "M-1" });
    expect(server.arrivals).toMatchObject([
      { method: "GET", headers: { "idempotency-key": '"a\\"b"' } },
    ]);
  });

  it("`submissionByKey` throws SUBMISSION_NOT_FOUND if no submission was sent with the key", async () => {
    const server = await scriptedServer(submissionNotFound);
    const found = connect(server.address).submissionByKey(createPolicy, "case-1");
    await expect(found).rejects.toMatchObject({ code: "SUBMISSION_NOT_FOUND" });
  });

  it.each<[string, readonly unknown[]]>([
    ["an endpoint that is not a submission", [listBrands, "case-1"]],
    ["a key that no gateway accepts", [createPolicy, "κλειδί"]],
    ["an unknown option", [createPolicy, "case-1", { timout: 1 }]],
  ])("`submissionByKey` refuses %s", async (_, given) => {
    const gateway = connect(NOBODY_LISTENS);
    const found = Reflect.apply(gateway.submissionByKey.bind(gateway), null, given);
    await expect(found).rejects.toMatchObject({ name: "ConfigurationError" });
  });
});
