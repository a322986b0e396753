import type { Endpoint } from "@insurance-gateway/core/contract";
import { search, submission } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { recordedAnswer } from "@insurance-gateway/core/runtime";
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";

interface Car {
  plate: string;
}
interface Policy extends Car {
  id: string;
}
const policy = loose<Policy>({ id: text(), plate: text() });
const create: Endpoint = submission<{ body: Car; response: Policy }>({
  provider: "cars",
  path: "/policies",
  body: strict<Car>({ plate: text() }),
  response: { 201: policy },
  insurerId: "/id",
  idempotency: "reconcile",
  reconcile: { endpoint: "find", parameters: {}, createdAt: "/createdAt" },
  same: ["/plate"],
});
const find: Endpoint = search<{ query: { start?: number; limit?: number }; item: Policy }>({
  provider: "cars",
  path: "/policies",
  query: strict<{ start?: number; limit?: number }>(pageQuery()),
  item: policy,
});
const clock = (): Date => new Date(1_000);
const scenario = { name: "RECORDED_1", endpoint: "create", effect: "" };
const nothing: CheckedInput = { params: {}, query: {}, headers: {}, body: undefined };

describe("recorded answers", () => {
  it("the sandbox returns a recorded answer with the match fields of the request and a new identifier", () => {
    const recorded = { ...scenario, status: 201, body: { id: "A-1", plate: "AAA-1111" } };
    const input = { ...nothing, body: { plate: "IKY-1234" } };
    expect(recordedAnswer(create, input, recorded, clock)).toEqual({
      status: 201,
      body: { id: "A-1-1000", plate: "IKY-1234" },
    });
  });

  it("the sandbox returns a recorded page with the start and the limit of the search", () => {
    const items = [{ id: "A-1", plate: "AAA-1111" }];
    const recorded = { ...scenario, status: 200, body: { items, start: 1, limit: 11, total: 11 } };
    const input = { ...nothing, query: { start: 3, limit: 2 } };
    expect(recordedAnswer(find, input, recorded, clock)).toEqual({
      status: 200,
      body: { items, start: 3, limit: 2, total: 1 },
    });
  });
});
