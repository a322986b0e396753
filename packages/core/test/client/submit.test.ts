import { expect, expectTypeOf, it } from "vitest";
import { type KeyStore, memoryKeyStore, type SubmissionResult } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, issuedPolicy, type Policy, policyBody } from "../harness/declarations.ts";
import { json, problem, reset, submissionNotFound, submissionStatus } from "../harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";

const input = { body: policyBody, key: "case-1" };
const location = "/submissions/S-1";
const issued = json(issuedPolicy, 201, { location });
const replayed = json(issuedPolicy, 201, { location, "idempotency-replayed": "true" });

async function submit(
  script: readonly Reply[],
  more: object = {},
): Promise<[SubmissionResult<Policy>, ScriptedServer]> {
  const server = await scriptedServer(...script);
  return [await connect(server.address).submit(createPolicy, { ...input, ...more }), server];
}

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
    [
      problem({
        status: 504,
        code: "OUTCOME_UNKNOWN",
        outcome: "unknown",
        retry: "same_key",
        reconciliation: { href: location },
      }),
    ],
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
  ["`not_sent` if no earlier submission has the key", submissionNotFound, { outcome: "not_sent" }],
  [
    "`executed` if an earlier submission succeeded and the calling program removed the key from its store",
    submissionStatus("succeeded", {
      insurerId: "M-1",
      answer: { status: 201, body: issuedPolicy },
    }),
    { outcome: "executed", submissionId: "S-1", insurerId: "M-1" },
  ],
  [
    "`unknown` without a time if a person must find out the outcome of an earlier submission",
    submissionStatus("needs_review"),
    { outcome: "unknown", submissionId: "S-1", askAgainAt: null },
  ],
  [
    "`unknown` with the time of the next query if an earlier submission is open",
    submissionStatus("outcome_unknown", { askAgainAt: "2026-11-29T10:05:00Z" }),
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
  const [result] = await submit([submissionNotFound], { key: 7 });
  expect(result).toMatchObject({ outcome: "not_sent", key: "" });
});

it.each<[string, object, string]>([
  ["a missing key", { key: undefined }, "/key"],
  ["a key with a space", { key: "a b" }, "/key"],
  ["the option `idempotencyKey`", { idempotencyKey: "x" }, "/idempotencyKey"],
  ["a store that is not a KeyStore", { store: {} }, "/store"],
])("`submit` refuses %s", async (_, more, pointer) => {
  const [result] = await submit([submissionNotFound], more);
  expect(result).toMatchObject({
    outcome: "not_sent",
    errors: [{ pointer }],
  });
});
