import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createThing,
  type ReadInsurer,
  said,
  sent,
  startReadInsurer,
  value,
} from "./read-insurer.ts";

let site: ReadInsurer;
beforeAll(async () => {
  site = await startReadInsurer();
});
afterAll(() => site.close());

const anything = loose<object>({});
const LOST = "OUTCOME_UNKNOWN unknown unusable";

/** An endpoint that declares no empty answer: its submissions may use a connection that was used before. */
const alwaysNamed: Endpoint = { ...createThing, response: { 201: anything, 202: anything } };

describe("answers to a submission", () => {
  it.each([
    ["status 201 with an identifier", value(201, { ...sent, id: "X-1" }), "201", "X-1"],
    ["status 201 without an identifier", value(201, sent), LOST, undefined],
    ["status 202 with an identifier", value(202, { ...sent, id: "X-1" }), "202", "X-1"],
    ["status 202 without an identifier", value(202, sent), LOST, undefined],
    ["an identifier that equals a sent value", value(202, { ...sent, id: "A-1" }), LOST, undefined],
    [
      "an identifier of 200 characters",
      value(202, { ...sent, id: "x".repeat(200) }),
      "202",
      "x".repeat(200),
    ],
    [
      "an identifier of 201 characters",
      value(202, { ...sent, id: "x".repeat(201) }),
      LOST,
      undefined,
    ],
    ["a list instead of an identifier", value(201, { ...sent, id: ["X"] }), LOST, undefined],
    ["a number as identifier", value(201, { ...sent, id: 7 }), "201", "7"],
    ["a match field with another value", value(201, { ...sent, note: "B" }), LOST, undefined],
  ])(
    "the gateway accepts the answer to a submission only with a valid identifier and equal match fields: %s",
    async (_, answer, expected, insurerId) => {
      const found = await site.ask(alwaysNamed, answer);
      expect([
        said(found),
        found instanceof Refusal ? found.details.insurerId : found.insurerId,
      ]).toEqual([expected, insurerId]);
      // An answer without a usable identifier may belong to another call, so the answer's connection must not be used
      // again.
      const before = site.sockets.at(-1);
      await site.ask(alwaysNamed, value(201, { ...sent, id: "X-2" }));
      expect(site.sockets.at(-1) === before).toBe(typeof insurerId === "string");
    },
  );

  it("an answer with the status 202 to a submission needs no identifier if the endpoint declares no identifier", async () => {
    const { insurerId: _, ...unnamed } = createThing;
    expect(said(await site.ask(unnamed, value(202, sent)))).toBe("202");
  });

  it("the insurer's answer to a submission must repeat the submission's match fields, except the fields that the operator excludes", async () => {
    const mixed = value(201, { id: "X-1", name: "Maria", note: "B" }, { headers: { "x-id": "1" } });
    const mismatched = async (): Promise<unknown> => {
      const found = await site.ask(createThing, mixed);
      return found instanceof Refusal ? found.details.mismatched : found.status;
    };
    expect(await mismatched()).toEqual(["/name", "/note"]);
    site.settings.except = ["/note"];
    expect(await mismatched()).toEqual(["/name"]);
    site.settings.except = ["/name", "/note"];
    expect(await mismatched(), "on a new connection, there is nothing to compare").toBe(201);
    site.settings.except = [];
  });
});
