import { describe, expect, expectTypeOf, it } from "vitest";
import type { Endpoint } from "../../src/contract/index.ts";
import type { CallOptions, Gateway, OptionsOf, SubmissionOptions } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import {
  type calculatePremium,
  cancelPolicy,
  createPolicy,
  type downloadTerms,
  issuedPolicy,
  listBrands,
  policyBody,
  type readPolicy,
  type searchPolicies,
} from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { json, problem } from "../harness/replies.ts";
import { type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";

const issued = json(issuedPolicy, 201);

function keysOf(server: ScriptedServer): readonly unknown[] {
  return server.arrivals.map(({ headers }) => headers["idempotency-key"]);
}

describe("the key of a submission", () => {
  it("the client generates a separate key for each submission and marks the key as generated", async () => {
    const server = await scriptedServer(issued, issued, json(issuedPolicy));
    const gateway = connect(server.address);
    await gateway.call(createPolicy, { body: policyBody });
    await gateway.call(createPolicy, { body: policyBody, idempotencyKey: undefined });
    await gateway.call(cancelPolicy, { params: { policyId: "M-1" } });
    const keys = keysOf(server);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys)
      expect(key).toMatch(/^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";generated$/);
  });

  it.each(["1", "order:4711/a~b", "k".repeat(255)])(
    "the client sends the key that the calling program chose: %s",
    async (key) => {
      const server = await scriptedServer(issued);
      const call = connect(server.address).call(createPolicy, {
        body: policyBody,
        idempotencyKey: key,
      });
      await call;
      expect(keysOf(server)).toEqual([key]);
    },
  );

  it.each([
    ["", "empty"],
    ["a\r\nb", "two lines"],
    ["κλειδί", "not ASCII"],
    ["k".repeat(256), "too long"],
    // A caller without types can pass any value.
    [7 as never, "not a text"],
  ])(
    "the client refuses a key that no gateway accepts, and sends nothing: %j, %s",
    async (idempotencyKey) => {
      const server = await scriptedServer(issued);
      const call = connect(server.address).call(createPolicy, { body: policyBody, idempotencyKey });
      expect(await failureOf(call)).toMatchObject({
        name: "RequestInvalidError",
        outcome: "not_sent",
        errors: [{ pointer: "/idempotencyKey", code: "FORMAT" }],
      });
      expect(server.connections()).toBe(0);
    },
  );

  it("the client refuses a key for a lookup, and sends a lookup without a key", async () => {
    const server = await scriptedServer(json({ items: [] }));
    const gateway = connect(server.address);
    // @ts-expect-error only a submission has a key, but a caller without types can pass one
    const call = gateway.call(listBrands, { idempotencyKey: "key-1" });
    expect(await failureOf(call)).toMatchObject({
      name: "RequestInvalidError",
      errors: [{ pointer: "/idempotencyKey", code: "UNKNOWN_FIELD" }],
    });
    expect(server.connections()).toBe(0);
    await gateway.call(listBrands);
    expect(keysOf(server)).toEqual([undefined]);
  });

  it("the types accept a key only for calls that are or may be submissions", () => {
    expectTypeOf<OptionsOf<typeof createPolicy>>().toEqualTypeOf<SubmissionOptions>();
    expectTypeOf<OptionsOf<Endpoint>>().toExtend<Omit<SubmissionOptions, "headers">>();
    type Others = typeof listBrands | typeof readPolicy | typeof calculatePremium;
    expectTypeOf<OptionsOf<Others>>().toEqualTypeOf<CallOptions>();
    expectTypeOf<OptionsOf<typeof searchPolicies>>().toEqualTypeOf<CallOptions>();
    expectTypeOf<OptionsOf<typeof downloadTerms>>().toEqualTypeOf<CallOptions>();
    expectTypeOf<CallOptions>().not.toHaveProperty("idempotencyKey");
    expectTypeOf<Parameters<Gateway["submission"]>[1]>().toEqualTypeOf<CallOptions | undefined>();
  });

  it("the client refuses a key that is set as a header", async () => {
    const server = await scriptedServer(issued);
    const failure = await failureOf(
      connect(server.address).call(createPolicy, {
        body: policyBody,
        headers: { "Idempotency-Key": "" },
      }),
    );
    expect(failure).toMatchObject({
      name: "RequestInvalidError",
      errors: [{ pointer: "/headers/Idempotency-Key", code: "VALUE" }],
    });
    expect(String(failure)).toContain("is set through `idempotencyKey`");
    expect(server.connections()).toBe(0);
  });
});

describe("submissions with a time limit", () => {
  it.each([
    [undefined, "wait=45"],
    [20_300, "wait=18"],
    [3_500, "wait=1"],
    [1_900, undefined],
    [900, undefined],
  ])(
    "the client requests an answer before the client's time limit: `timeout: %s` sets the header Prefer to %s",
    async (timeout, prefer) => {
      const server = await scriptedServer(issued);
      await connect(server.address).call(createPolicy, { body: policyBody, timeout });
      expect(server.arrivals[0]?.headers.prefer).toBe(prefer);
    },
  );
});

describe("the answer to a submission", () => {
  it("`withResponse()` of a submission returns the key, the submission's address and whether the gateway replayed an earlier answer", async () => {
    const headers = { location: "/submissions/S-1", "idempotency-replayed": "true" };
    const server = await scriptedServer(json(issuedPolicy, 201, headers), json({ items: [] }));
    const gateway = connect(server.address);
    const { data, response } = await gateway
      .call(createPolicy, { body: policyBody, idempotencyKey: "key-1" })
      .withResponse();
    expect(data).toEqual(issuedPolicy);
    expect(response).toMatchObject({ idempotencyKey: "key-1", replayed: true, headers });
    const read = await gateway.call(listBrands).withResponse();
    expect(read.response).toMatchObject({ idempotencyKey: null, replayed: false });
  });

  it("the client's error has the insurer's identifier if the insurer acted but sent an unusable answer", async () => {
    const executed = {
      status: 502,
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "executed",
      retry: "never",
      insurerId: "Α-000001/ΙΙ",
    } as const;
    const server = await scriptedServer(problem(executed, { "retry-after": "0" }));
    const call = connect(server.address).call(createPolicy, { body: policyBody });
    expect(await failureOf(call)).toMatchObject({ name: "ProblemError", ...executed });
    expect(server.arrivals).toHaveLength(1);
  });
});
