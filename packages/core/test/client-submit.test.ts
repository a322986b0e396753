import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { type KeyStore, memoryKeyStore, type SubmissionResult } from "../src/index.ts";
import { fileKeyStore } from "../src/node/index.ts";
import { connect } from "./harness/connect.ts";
import {
  cancelPolicy,
  createPolicy,
  issuedPolicy,
  type Policy,
  policyBody,
} from "./harness/declarations.ts";
import { json, problem, reset, silence } from "./harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "./harness/scripted-server.ts";

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

/** The status of a submission in a state. */
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
      "succeeded, with the data",
      [issued],
      { outcome: "succeeded", data: issuedPolicy, replayed: false, submissionId: "S-1" },
    ],
    ["succeeded, if the answer was stored", [replayed], { outcome: "succeeded", replayed: true }],
    [
      "rejected, with the faults",
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
    ["not_sent, with the advice", [problem({})], { outcome: "not_sent", retry: "safe" }],
    [
      "unknown, with the submission",
      [unknown],
      { outcome: "unknown", submissionId: "S-1", askAgainAt: null },
    ],
    [
      "unknown, if no attempt is answered",
      [reset],
      { outcome: "unknown", submissionId: null, askAgainAt: expect.any(Date) },
    ],
    [
      "executed, with the insurer's identifier",
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
  ])("returns %s", async (_, script, expected) => {
    const [result] = await submit(script);
    expect(result).toMatchObject({ key: "case-1", ...expected });
  });

  it("has a type whose five outcomes must all be handled", () => {
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

  it("stores the key before it sends the submission, and keeps it", async () => {
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

  it("sends nothing if the store fails", async () => {
    const server = await scriptedServer(issued);
    const store = { ...memoryKeyStore(), add: () => Promise.reject(new Error("disk full")) };
    const submitted = connect(server.address).submit(createPolicy, { ...input, store });
    await expect(submitted).rejects.toThrow("disk full");
    expect(server.connections()).toBe(0);
  });

  it("of an invalid body whose key the store does not have was not sent: nobody is asked", async () => {
    const body = { ...policyBody, startDate: "soon" };
    const [result, server] = await submit([issued], { body, store: memoryKeyStore() });
    expect(result).toMatchObject({ outcome: "not_sent", errors: [{ pointer: "/startDate" }] });
    expect(server.connections()).toBe(0);
  });

  it("of an invalid body whose key was sent before has the earlier submission's outcome", async () => {
    const store = memoryKeyStore();
    await store.add({ key: "case-1", provider: "provider-m", endpoint: "POST /policies" });
    const body = { ...policyBody, startDate: "soon" };
    const [result] = await submit([actedUnseen], { body, store });
    expect(result).toMatchObject({ outcome: "executed", submissionId: "S-1" });
  });

  it("with a key that is no text has no key in its result", async () => {
    const [result] = await submit([notFound], { key: 7 });
    expect(result).toMatchObject({ outcome: "not_sent", key: "" });
  });

  it.each<[string, object, readonly string[]]>([
    ["no key", { key: undefined }, ["/key"]],
    ["a key with a space", { key: "a b" }, ["/key"]],
    ["the key of another option", { idempotencyKey: "x" }, ["/idempotencyKey"]],
    ["a store that is none", { store: {} }, ["/store"]],
  ])("refuses %s", async (_, more, pointers) => {
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
    ["succeeded", carriedOut, { outcome: "succeeded", data: issuedPolicy, replayed: true }],
    ["executed, without an answer", actedUnseen, { outcome: "executed", insurerId: "M-1" }],
    ["rejected", refused, { outcome: "rejected" }],
    ["unknown, if a person has to find out", status("needs_review"), { outcome: "unknown" }],
    ["not_sent, if it is not stored any more", notFound, { outcome: "not_sent" }],
  ])("asks the gateway, and returns %s", async (_, reply, expected) => {
    const [result, server] = await resolved(reply);
    expect(result).toMatchObject(expected);
    expect(server.arrivals.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("asks again until there is an end, also after a question without an answer", async () => {
    const soon = { askAgainAt: new Date().toISOString() };
    const [result, server] = await resolved(
      status("outcome_unknown", soon),
      problem({ status: 401, code: "UNAUTHENTICATED", retry: "never" }),
      carriedOut,
    );
    expect(result).toMatchObject({ outcome: "succeeded" });
    expect(server.arrivals.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "GET"]);
  });

  it("returns unknown at once if it is cancelled, or if the time is over", async () => {
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
    ["succeeded", carriedOut, { outcome: "succeeded", data: issuedPolicy }],
    ["executed", actedUnseen, { outcome: "executed", insurerId: "M-1" }],
    ["rejected", refused, { outcome: "rejected" }],
    ["unknown", status("in_flight"), { outcome: "unknown", submissionId: "S-1" }],
    ["not_sent: submit with this key", notFound, { outcome: "not_sent", retry: "same_key" }],
    ["unknown, if nobody can be asked", reset, { outcome: "unknown", submissionId: null }],
  ])("asks with each key and sends nothing: %s", async (_, reply, expected) => {
    const [results, server] = await resume(reply);
    expect(results).toMatchObject([{ key: "case-1", ...expected }]);
    expect(new Set(server.arrivals.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(server.arrivals[0]?.headers["idempotency-key"]).toBe('"case-1"');
  });

  it("has one time limit for all keys together", async () => {
    const store = memoryKeyStore();
    for (const key of ["case-1", "case-2", "case-3"])
      await store.add({ key, provider: "provider-m", endpoint: "POST /policies" });
    const server = await scriptedServer(silence);
    const client = connect(server.address);
    const resumed = await client.resume(store, [createPolicy], { timeout: 50 });
    expect(resumed.map(({ result }) => result.outcome)).toEqual(["unknown", "unknown", "unknown"]);
    expect(server.arrivals).not.toHaveLength(3);
  });

  it("refuses to leave keys out whose endpoint it does not have", async () => {
    const store = memoryKeyStore();
    await store.add({ key: "k", provider: "provider-x", endpoint: "POST /claims" });
    const server = await scriptedServer(notFound);
    await expect(connect(server.address).resume(store, [createPolicy])).rejects.toThrow(
      "the store has keys of provider-x POST /claims: pass its endpoint to resume()",
    );
  });
});

describe.each([
  ["memory", async () => memoryKeyStore()],
  ["a file", async () => fileKeyStore(join(await folder(), "keys.json"))],
])("a key store in %s", (_, create) => {
  it("has each key once, until it is removed", async () => {
    const store = await create();
    const one = { key: "a", provider: "provider-m", endpoint: "POST /policies" };
    const other = { ...one, endpoint: "POST /claims" };
    await Promise.all([store.add(one), store.add(other), store.add(one)]);
    expect(await store.list()).toEqual([one, other]);
    await store.remove(one);
    expect(await store.list()).toEqual([other]);
  });
});

it("the file of a key store is its owner's alone, and keeps its keys", async () => {
  const path = join(await folder(), "keys.json");
  const one = { key: "a", provider: "provider-m", endpoint: "POST /policies" };
  await fileKeyStore(path).add(one);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await fileKeyStore(path).list()).toEqual([one]);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual([one]);
});

it.each(["", "[{", "{}"])(
  "a damaged file of a key store is an error with its path: %j",
  async (text) => {
    const path = join(await folder(), "keys.json");
    await writeFile(path, text);
    await expect(fileKeyStore(path).list()).rejects.toThrow(`${path} is not a file of a key store`);
  },
);

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "key-store-"));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}
