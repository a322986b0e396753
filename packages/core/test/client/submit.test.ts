import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { type KeyStore, memoryKeyStore, type SubmissionResult } from "../../src/index.ts";
import { fileKeyStore } from "../../src/node/index.ts";
import { connect } from "../harness/connect.ts";
import {
  cancelPolicy,
  createPolicy,
  issuedPolicy,
  listBrands,
  type Policy,
  policyBody,
} from "../harness/declarations.ts";
import { json, problem, reset, silence } from "../harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";

const input = { body: policyBody, key: "case-1" };
const issued = json(issuedPolicy, 201, { location: "/submissions/S-1" });
const replayed = json(issuedPolicy, 201, {
  location: "/submissions/S-1",
  "idempotency-replayed": "true",
});
const unknown = problem({
  status: 504,
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry: "same_key",
  reconciliation: { href: "/submissions/S-1" },
});
const notFound = problem({
  status: 404,
  code: "SUBMISSION_NOT_FOUND",
  outcome: "not_sent",
  retry: "never",
});

const unauthenticated = problem({
  status: 401,
  code: "UNAUTHENTICATED",
  outcome: "unknown",
  retry: "never",
});

/** Replies with the status of a submission in a state. */
function status(state: string, more: object = {}): Reply {
  return json({
    submissionId: "S-1",
    provider: "provider-m",
    endpoint: "createPolicy",
    state,
    insurerId: null,
    receivedAt: "2026-11-29T10:00:00Z",
    updatedAt: "2026-11-29T10:00:00Z",
    askAgainAt: null,
    answer: null,
    ...more,
  });
}

const carriedOut = status("succeeded", {
  insurerId: "M-1",
  answer: { status: 201, body: issuedPolicy },
});
const actedUnseen = status("succeeded", { insurerId: "M-1" });
const refused = status("failed", {
  answer: {
    status: 422,
    body: { code: "PROVIDER_REJECTED", outcome: "rejected", retry: "never", detail: "No." },
  },
});

async function submit(
  script: readonly Reply[],
  more: object = {},
): Promise<[SubmissionResult<Policy>, ScriptedServer]> {
  const server = await scriptedServer(...script);
  return [await connect(server.address).submit(createPolicy, { ...input, ...more }), server];
}

describe("submit", () => {
  it.each<[string, readonly Reply[], object]>([
    [
      "`succeeded`, with the data",
      [issued],
      { outcome: "succeeded", data: issuedPolicy, replayed: false, submissionId: "S-1" },
    ],
    ["`succeeded`, if the answer was stored", [replayed], { outcome: "succeeded", replayed: true }],
    [
      "`rejected`, with the faults",
      [
        problem({
          status: 422,
          code: "PROVIDER_REJECTED",
          outcome: "rejected",
          retry: "never",
          errors: [{ pointer: "/holder/afm", code: "INVALID", message: "is unknown" }],
        }),
      ],
      { outcome: "rejected", errors: [{ pointer: "/holder/afm" }] },
    ],
    ["`not_sent`, with the advice", [problem({})], { outcome: "not_sent", retry: "safe" }],
    [
      "`unknown`, with the submission's ID",
      [unknown],
      { outcome: "unknown", submissionId: "S-1", askAgainAt: null },
    ],
    [
      "`unknown`, if no attempt was answered",
      [reset],
      { outcome: "unknown", submissionId: null, askAgainAt: expect.any(Date) },
    ],
    [
      "`executed`, with the insurer's identifier",
      [
        problem({
          status: 502,
          code: "PROVIDER_BAD_RESPONSE",
          outcome: "executed",
          retry: "never",
          insurerId: "M-1",
        }),
      ],
      { outcome: "executed", insurerId: "M-1" },
    ],
  ])("`submit` returns the outcome %s", async (_, script, expected) => {
    const [result] = await submit(script);
    expect(result).toMatchObject({ key: "case-1", ...expected });
  });

  it("the type of `submit`'s result requires code that handles all five outcomes", () => {
    expectTypeOf<SubmissionResult["outcome"]>().toEqualTypeOf<
      "succeeded" | "rejected" | "not_sent" | "unknown" | "executed"
    >();
    // @ts-expect-error `data` exists only if the outcome is `succeeded`
    void ((result: SubmissionResult<Policy>) => result.data);
    // @ts-expect-error `executed` is not handled
    void ((result: SubmissionResult<Policy>): string => {
      switch (result.outcome) {
        case "succeeded":
        case "rejected":
        case "not_sent":
        case "unknown":
          return result.key;
      }
    });
    const textOf = (result: SubmissionResult<Policy>): string => {
      switch (result.outcome) {
        case "succeeded":
          expectTypeOf(result.data).toEqualTypeOf<Policy>();
          return result.data.policyId;
        case "rejected":
        case "not_sent":
          return result.error.message;
        case "unknown":
          return String(result.askAgainAt);
        case "executed":
          return String(result.insurerId);
      }
    };
    expectTypeOf(textOf).returns.toEqualTypeOf<string>();
  });

  it("`submit` stores the key before it sends the submission, and keeps the key in the store", async () => {
    const store = memoryKeyStore();
    const sent: number[] = [];
    const watched: KeyStore = {
      ...store,
      async add(stored) {
        sent.push(server.arrivals.length);
        await store.add(stored);
      },
    };
    const server = await scriptedServer(issued);
    await connect(server.address).submit(createPolicy, { ...input, store: watched });
    expect(sent).toEqual([0]);
    expect(await store.list()).toEqual([
      { key: "case-1", provider: "provider-m", endpoint: "POST /policies" },
    ]);
  });

  it("`submit` sends nothing if the key store fails", async () => {
    const server = await scriptedServer(issued);
    const store = { ...memoryKeyStore(), add: () => Promise.reject(new Error("disk full")) };
    const submitted = connect(server.address).submit(createPolicy, { ...input, store });
    await expect(submitted).rejects.toThrow("disk full");
    expect(server.connections()).toBe(0);
  });

  it.each<[string, Reply, object]>([
    ["`not_sent` if no earlier submission has the key", notFound, { outcome: "not_sent" }],
    [
      "`executed` if an earlier submission succeeded and the calling program removed the key from its store",
      carriedOut,
      { outcome: "executed", submissionId: "S-1", insurerId: "M-1" },
    ],
    [
      "`unknown` without a time if a person must find out the outcome of an earlier submission",
      status("needs_review"),
      { outcome: "unknown", submissionId: "S-1", askAgainAt: null },
    ],
    [
      "`unknown` with the time of the next query if an earlier submission is open",
      status("outcome_unknown", { askAgainAt: "2026-11-29T10:05:00Z" }),
      { outcome: "unknown", askAgainAt: new Date("2026-11-29T10:05:00Z") },
    ],
  ])(
    "`submit` queries the gateway for an earlier submission with the key if the body is invalid, and returns %s",
    async (_, reply, expected) => {
      const body = { ...policyBody, startDate: "soon" };
      const [result, server] = await submit([reply], { body, store: memoryKeyStore() });
      expect(result).toMatchObject(expected);
      expect(server.arrivals).toMatchObject([{ method: "GET" }]);
    },
  );

  it("the result of `submit` has an empty key if the key from the calling program is not a text", async () => {
    const [result] = await submit([notFound], { key: 7 });
    expect(result).toMatchObject({ outcome: "not_sent", key: "" });
  });

  it.each<[string, object, readonly string[]]>([
    ["a missing key", { key: undefined }, ["/key"]],
    ["a key with a space", { key: "a b" }, ["/key"]],
    ["the option `idempotencyKey`", { idempotencyKey: "x" }, ["/idempotencyKey"]],
    ["a store that is not a KeyStore", { store: {} }, ["/store"]],
  ])("`submit` refuses %s", async (_, more, pointers) => {
    const [result] = await submit([notFound], more);
    expect(result).toMatchObject({
      outcome: "not_sent",
      errors: pointers.map((pointer) => ({ pointer })),
    });
  });
});

describe("resolve", () => {
  async function resolved(
    ...statuses: readonly Reply[]
  ): Promise<[SubmissionResult<Policy>, ScriptedServer]> {
    const [result, server] = await submit([unknown, ...statuses]);
    if (result.outcome !== "unknown") throw new Error(`It is ${result.outcome}`);
    return [await result.error.resolve(), server];
  }

  it.each<[string, Reply, object]>([
    ["`succeeded`", carriedOut, { outcome: "succeeded", data: issuedPolicy, replayed: true }],
    [
      "`executed` if the answer is not stored",
      actedUnseen,
      { outcome: "executed", insurerId: "M-1" },
    ],
    ["`rejected`", refused, { outcome: "rejected" }],
    [
      "`unknown` if a person must find out the outcome",
      status("needs_review"),
      { outcome: "unknown" },
    ],
    [
      "`unknown` if the gateway does not have the submission that it named",
      notFound,
      { outcome: "unknown", submissionId: "S-1", askAgainAt: null },
    ],
    [
      "`unknown` if the gateway refuses the token",
      unauthenticated,
      { outcome: "unknown", error: { code: "UNAUTHENTICATED" }, askAgainAt: expect.any(Date) },
    ],
    [
      "`unknown` if another server answers",
      json({}, 404),
      { outcome: "unknown", error: { code: "RESPONSE_INVALID" } },
    ],
  ])("`resolve` queries the gateway once and returns %s", async (_, reply, expected) => {
    const [result, server] = await resolved(reply);
    expect(result).toMatchObject(expected);
    expect(server.arrivals.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("`resolve` queries the gateway again until the submission has a result, even after a failed query", async () => {
    const soon = { askAgainAt: new Date().toISOString() };
    const [result, server] = await resolved(
      status("outcome_unknown", soon),
      problem({}),
      carriedOut,
    );
    expect(result).toMatchObject({ outcome: "succeeded" });
    expect(server.arrivals.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "GET"]);
  });

  it("`resolve` queries the gateway by key, not by ID, if no answer named the submission", async () => {
    const [result, server] = await submit([reset, reset, reset, notFound]);
    if (result.outcome !== "unknown") throw new Error(`It is ${result.outcome}`);
    expect(await result.error.resolve()).toMatchObject({ outcome: "not_sent", retry: "same_key" });
    expect(server.arrivals.at(-1)?.headers["idempotency-key"]).toBe('"case-1"');
  });

  it("`resolve` returns `unknown` at once if the token is malformed", async () => {
    const server = await scriptedServer(unknown);
    vi.stubEnv("GATEWAY_TOKEN", "token-1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const gateway = connect(server.address, { token: undefined });
    const result = await gateway.submit(createPolicy, input);
    if (result.outcome !== "unknown") throw new Error(`It is ${result.outcome}`);
    vi.stubEnv("GATEWAY_TOKEN", "two words");
    expect(await result.error.resolve()).toMatchObject({
      outcome: "unknown",
      error: { code: "TOKEN_UNAVAILABLE" },
    });
  });

  it("`resolve` returns `unknown` without a query if the client is closed", async () => {
    const server = await scriptedServer(unknown);
    const gateway = connect(server.address);
    const result = await gateway.submit(createPolicy, input);
    if (result.outcome !== "unknown") throw new Error(`It is ${result.outcome}`);
    await gateway.close();
    expect(await result.error.resolve()).toMatchObject({ outcome: "unknown" });
    expect(server.arrivals).toHaveLength(1);
  });

  it("`resolve` returns `unknown` at once if the client is closed while `resolve` waits", async () => {
    const later = { askAgainAt: new Date(Date.now() + 3_600_000).toISOString() };
    const server = await scriptedServer(unknown, status("outcome_unknown", later));
    const gateway = connect(server.address);
    const result = await gateway.submit(createPolicy, input);
    if (result.outcome !== "unknown") throw new Error(`It is ${result.outcome}`);
    const resolved = result.error.resolve();
    await vi.waitUntil(() => server.arrivals.length === 2);
    await gateway.close();
    expect(await resolved).toMatchObject({ outcome: "unknown" });
    expect(server.arrivals).toHaveLength(2);
  });

  it("`resolve` returns `unknown` at once if the signal aborts or the time limit passes", async () => {
    const [result] = await submit([unknown, status("in_flight")]);
    if (result.outcome !== "unknown") throw new Error(`It is ${result.outcome}`);
    expect(await result.error.resolve({ signal: AbortSignal.abort() })).toMatchObject({
      outcome: "unknown",
    });
    expect(await result.error.resolve({ timeout: 500 })).toMatchObject({ outcome: "unknown" });
  });
});

describe("resume", () => {
  async function resume(
    ...script: readonly Reply[]
  ): Promise<[readonly unknown[], ScriptedServer]> {
    const store = memoryKeyStore();
    await store.add({ key: "case-1", provider: "provider-m", endpoint: "POST /policies" });
    const server = await scriptedServer(...script);
    const resumed = await connect(server.address).resume(store, [createPolicy, cancelPolicy]);
    return [resumed.map(({ result }) => result), server];
  }

  it.each<[string, Reply, object]>([
    ["`succeeded`", carriedOut, { outcome: "succeeded", data: issuedPolicy }],
    ["`executed`", actedUnseen, { outcome: "executed", insurerId: "M-1" }],
    ["`rejected`", refused, { outcome: "rejected" }],
    ["`unknown`", status("in_flight"), { outcome: "unknown", submissionId: "S-1" }],
    [
      "`not_sent` with the advice to submit with the same key",
      notFound,
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
    [
      "`unknown` with the time of the next query if the gateway refuses the token",
      unauthenticated,
      { outcome: "unknown", askAgainAt: expect.any(Date), error: { code: "UNAUTHENTICATED" } },
    ],
  ])(
    "`resume` queries each key, sends no submission and returns %s",
    async (_, reply, expected) => {
      const [results, server] = await resume(reply);
      expect(results).toMatchObject([{ key: "case-1", ...expected }]);
      expect(new Set(server.arrivals.map(({ method }) => method))).toEqual(new Set(["GET"]));
      expect(server.arrivals[0]?.headers["idempotency-key"]).toBe('"case-1"');
    },
  );

  async function resumeThree(
    script: readonly Reply[],
    client: object,
    options: object,
  ): Promise<[readonly SubmissionResult[], ScriptedServer]> {
    const store = memoryKeyStore();
    for (const key of ["case-1", "case-2", "case-3"])
      await store.add({ key, provider: "provider-m", endpoint: "POST /policies" });
    const server = await scriptedServer(...script);
    const gateway = connect(server.address, client);
    const resumed = await gateway.resume(store, [createPolicy], options);
    return [resumed.map(({ result }) => result), server];
  }

  it("`resume` queries every key, even if earlier queries time out", async () => {
    const timedOut = { outcome: "unknown", error: { code: "TIMEOUT" } };
    const [results] = await resumeThree([silence, silence, carriedOut], { timeout: 200 }, {});
    expect(results).toMatchObject([timedOut, timedOut, { outcome: "succeeded" }]);
  });

  it("`resume` waits while the gateway limits the queries, even if the wait is longer than the timeout of one query", async () => {
    const limited = problem({ status: 429, code: "RATE_LIMITED" }, { "retry-after": "1" });
    const [results, server] = await resumeThree(
      [carriedOut, limited, refused],
      { timeout: 900 },
      {},
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(["succeeded", "rejected", "rejected"]);
    expect(server.arrivals).toHaveLength(4);
  });

  it("`resume` returns the time of the next query if the gateway limits the queries for longer than the time limit", async () => {
    const limited = problem({ status: 429, code: "RATE_LIMITED" }, { "retry-after": "120" });
    const [results] = await resumeThree([limited], {}, { timeout: 5_000 });
    const unknownYet = {
      outcome: "unknown",
      error: { code: "RATE_LIMITED", retryAfterSeconds: 120 },
    };
    expect(results).toMatchObject([unknownYet, unknownYet, unknownYet]);
    expect(results).toMatchObject([{ askAgainAt: expect.any(Date) }, {}, {}]);
  });

  it("`resume` returns TIMEOUT for each key whose query did not end within the time limit", async () => {
    const [results, server] = await resumeThree([silence], {}, { timeout: 50 });
    const timedOut = { outcome: "unknown", error: { code: "TIMEOUT" } };
    expect(results).toMatchObject([timedOut, timedOut, timedOut]);
    expect(server.arrivals).not.toHaveLength(3);
  });

  it("`resume` throws an error if the store has a key of an endpoint that was not passed", async () => {
    const store = memoryKeyStore();
    await store.add({ key: "k", provider: "provider-x", endpoint: "POST /claims" });
    const server = await scriptedServer(notFound);
    await expect(connect(server.address).resume(store, [createPolicy])).rejects.toThrow(
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
    const server = await scriptedServer(notFound);
    const found = connect(server.address).submissionByKey(createPolicy, "case-1");
    await expect(found).rejects.toMatchObject({ code: "SUBMISSION_NOT_FOUND" });
  });

  it.each<[string, readonly unknown[]]>([
    ["an endpoint that is not a submission", [listBrands, "case-1"]],
    ["a key that no gateway accepts", [createPolicy, "κλειδί"]],
    ["an unknown option", [createPolicy, "case-1", { timout: 1 }]],
  ])("`submissionByKey` refuses %s", async (_, given) => {
    const gateway = connect("http://127.0.0.1:1");
    const found = Reflect.apply(gateway.submissionByKey.bind(gateway), null, given);
    await expect(found).rejects.toMatchObject({ name: "ConfigurationError" });
  });
});

describe.each([
  ["memory", async () => memoryKeyStore()],
  ["files", async () => fileKeyStore(join(await folder(), "keys"))],
])("a key store in %s", (_, create) => {
  it("a key store contains each key only once until the key is removed", async () => {
    const store = await create();
    const one = { key: "a", provider: "provider-m", endpoint: "POST /policies" };
    const other = { ...one, endpoint: "POST /claims" };
    expect(await store.list()).toEqual([]);
    await Promise.all([store.add(one), store.add(other), store.add(one)]);
    expect(await store.list()).toHaveLength(2);
    expect(await store.list()).toEqual(expect.arrayContaining([one, other]));
    await store.remove(one);
    await store.remove(one);
    expect(await store.list()).toEqual([other]);
  });
});

describe("a key store in files", () => {
  const keys = Array.from({ length: 20 }, (_, index) => ({
    key: `case-${index}`,
    provider: "provider-m",
    endpoint: "POST /policies",
  }));

  it("a key store in files loses no key if several stores use one folder at the same time", async () => {
    const path = await folder();
    await Promise.all(keys.map((stored) => fileKeyStore(path).add(stored)));
    expect(await fileKeyStore(path).list()).toHaveLength(keys.length);
    await Promise.all(keys.slice(1).map((stored) => fileKeyStore(path).remove(stored)));
    expect(await fileKeyStore(path).list()).toEqual(keys.slice(0, 1));
  });

  it("only the owner can read the folder and the files of a key store on disk", async () => {
    const path = join(await folder(), "keys");
    for (const stored of keys) await fileKeyStore(path).add(stored);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(path))
      expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
  });

  it.each(["", "[{", "{}"])("a key store names the path of a damaged file: %j", async (text) => {
    const path = join(await folder(), "damaged.json");
    await writeFile(path, text);
    await expect(fileKeyStore(join(path, "..")).list()).rejects.toThrow(
      `${path} is not a file of a key store`,
    );
  });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "key-store-"));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}
