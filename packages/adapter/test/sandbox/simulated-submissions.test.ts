import { loose } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  ask,
  asking,
  cancelPolicy,
  createPolicy,
  examples,
  gone,
  issued,
  other,
  removed,
  type Stored,
  stored,
} from "./simulations.ts";

describe("a submission to a simulated insurer", () => {
  const body = { holder: { name: "Ζωή" } };
  const created = (policyId: string) => ({
    ...issued,
    policyId,
    holder: { name: "Ζωή", age: 40 },
    createdAt: "2026-11-24T09:30:00.000Z",
  });

  it("a simulated insurer stores a submission with a new identifier, the time and the client's reference", () => {
    const kept = { id: "M-0010", endpoint: "createPolicy", body: created("M-0010"), sent: body };
    expect(ask("createPolicy", { body, reference: "K-1" })).toEqual({
      status: 201,
      body: created("M-0010"),
      keep: [{ ...kept, reference: "K-1" }],
    });
    expect(ask("createPolicy", { body })).toEqual({
      status: 201,
      body: created("M-0010"),
      keep: [kept],
    });
  });

  it("a new submission gets an identifier that no stored record has", () => {
    expect(ask("createPolicy", { body }, [removed])).toMatchObject({
      body: { policyId: "M-0012" },
    });
    expect(ask("createPolicy", { body }, [stored])).toMatchObject({ body: { policyId: "M-0011" } });
  });

  it("a submission with the same client's reference as a stored submission gets the stored answer if the insurer recognises references", () => {
    const first: Stored = { ...stored, reference: "K-1", body: { ...issued, policyId: "M-0010" } };
    const sent = { body, reference: "K-1" };
    expect(ask("createPolicy", sent, [{ ...first, reference: "K-0", id: "M-3" }, first])).toEqual({
      status: 201,
      body: first.body,
    });
    expect(ask("createPolicy", { body, reference: "K-2" }, [first])).toMatchObject({
      body: { policyId: "M-0011" },
    });
    expect(ask("createPolicy", { body }, [first])).toMatchObject({ body: { policyId: "M-0011" } });
    expect(ask("createPolicy", sent, [{ ...first, endpoint: "renewPolicy" }])).toMatchObject({
      body: { policyId: "M-0011" },
    });
    const reconciling = asking(
      { createPolicy: { ...createPolicy, idempotency: "reconcile" } },
      examples,
    );
    expect(reconciling("createPolicy", sent, [first])).toMatchObject({
      body: { policyId: "M-0011" },
    });
  });

  it("the simulated insurer stores a new record of a resource that a submission changes", () => {
    const changed = { ...other, policyId: "M-0010", holder: { name: "Ζωή" } };
    const params = { policyId: "M-0010" };
    expect(ask("changePolicy", { params, body, reference: "K-1" }, [stored])).toEqual({
      status: 200,
      body: changed,
      keep: [{ id: "M-0010", endpoint: "changePolicy", body: changed, reference: "K-1" }],
    });
    const unknown = { ...issued, policyId: "M-0010", holder: { name: "Ζωή", age: 40 } };
    expect(ask("changePolicy", { params, body })).toEqual({
      status: 200,
      body: unknown,
      keep: [{ id: "M-0010", endpoint: "changePolicy", body: unknown }],
    });
    const odd: Stored = { ...stored, body: { accepted: true } };
    expect(ask("changePolicy", { params, body }, [odd])).toMatchObject({
      keep: [{ id: "M-0010", endpoint: "changePolicy", body: unknown }],
    });
    expect(ask("changePolicy", { params: { policyId: "M-0011" }, body }, [removed])).toEqual(gone);
  });

  it("the simulated insurer stores the removal of a resource that a submission removes", () => {
    expect(ask("cancelPolicy", { params: { policyId: "M-0010" } }, [stored])).toEqual({
      status: 204,
      body: undefined,
      keep: [{ id: "M-0010", endpoint: "cancelPolicy", body: undefined }],
    });
    expect(ask("cancelPolicy", { params: { policyId: "M-0011" } }, [removed])).toEqual(gone);
  });

  it("the simulated insurer stores nothing for a submission that removes only a part of a resource", () => {
    const path = "/policies/{policyId}/note";
    const removing = asking({ cancelPolicy: { ...cancelPolicy, path } }, examples);
    expect(removing("cancelPolicy", { params: { policyId: "M-0010" } })).toEqual({
      status: 204,
      body: undefined,
    });
  });

  it("a submission without a declared identifier is stored under the endpoint's name and the number of the record", () => {
    const { insurerId: _, reconcile: __, ...endpoint } = createPolicy;
    const plain = asking({ createPolicy: endpoint }, examples);
    expect(plain("createPolicy", { body }, [stored, removed])).toMatchObject({
      body: { policyId: "M-0009", createdAt: "2026-01-01T00:00:00Z" },
      keep: [{ id: "createPolicy-3", endpoint: "createPolicy" }],
    });
  });
});

describe("the new identifier of a simulated insurer", () => {
  /** Creates a submission's identifier from that of an example. `taken` are other values in the example. */
  function identifierLike(
    given: string | number,
    schema: z.ZodMiniType,
    {
      records = [],
      taken = [],
    }: { readonly records?: readonly string[]; readonly taken?: readonly unknown[] } = {},
  ): unknown {
    const answer = loose<{ id: unknown }>({ id: schema });
    const create = asking(
      { one: { ...createPolicy, insurerId: "/id", response: { 201: answer } } },
      { one: { usual: { request: {}, response: { id: given, taken } } } },
    );
    const before = records.map((id): Stored => ({ id, endpoint: "one", body: {} }));
    const { body, keep } = Object(create("one", {}, before));
    expect(keep).toEqual([{ id: String(body.id), endpoint: "one", body }]);
    return body.id;
  }

  const numbers = Array.from({ length: 99 }, (_, index) => index + 2);
  it.each<[string | number, z.ZodMiniType, object, unknown]>([
    [5, z.number(), {}, 6],
    [5, z.number(), { records: ["a", "b"] }, 8],
    [5, z.number(), { taken: [6, "8"] }, 7],
    ["A-0099", z.string(), {}, "A-0100"],
    ["A-99", z.string(), { records: ["A-101"] }, "A-99-2"],
    ["9007199254740993", z.string(), {}, "9007199254740994"],
    ["first", z.string(), {}, "first-1"],
    ["first", z.string(), { taken: ["first-1"] }, "000000000001"],
    [
      "0192f2a0-1111-7abc-8def-0123456789ab",
      z.uuid(),
      { records: ["x"] },
      "0192f2a0-1111-7abc-8def-000000000002",
    ],
    ["ABCDEF", z.string().check(z.length(6)), {}, "ABCDE1"],
    ["ABCDEF", z.string().check(z.length(6)), { records: Array(9).fill("x") }, "ABCD10"],
    ["A", z.string().check(z.length(1)), { records: Array(8).fill("x") }, "9"],
    ["ONLY", z.literal("ONLY"), {}, "ONLY"],
    [1, z.number(), { taken: numbers }, 101],
    [1, z.number(), { taken: [...numbers, 101] }, 1],
  ])(
    "a new identifier has the form of the example's identifier and is unique if possible: %j",
    (given, schema, more, expected) => {
      expect(identifierLike(given, schema, more)).toBe(expected);
    },
  );
});
