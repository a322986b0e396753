import type { Endpoint, Normaliser } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { bindingFault, insurerIdOf } from "../../src/upstream/binding.ts";

/** Greek and Latin letters that look alike are the same in a plate. */
const plate: Normaliser = {
  name: "plate",
  normalise: (text) => text.replaceAll("-", "").replace("ΙΚΥ", "IKY"),
  examples: [["ΙΚΥ-1234", "IKY1234"]],
};

const createThing: Endpoint = {
  provider: "provider-x",
  path: "/things",
  kind: "submission",
  method: "POST",
  response: {},
  insurerId: "/id",
  reconcile: {
    endpoint: "searchThings",
    parameters: {},
    createdAt: "/createdAt",
  },
  same: ["/name", "/agent", { at: "/plate", normaliser: plate }],
};

describe("an answer that has", () => {
  const sent = { name: "Eleni", plate: "ΙΚΥ-1234" };
  const own = { except: [], isNewConnection: false };
  it.each([
    ["every match field as it was sent", { name: "Eleni", plate: "IKY1234" }, own, null],
    ["one of them", { name: "Eleni" }, own, null],
    ["another value in one", { name: "Maria", plate: "IKY1234" }, own, ["/name"]],
    ["another value in each", { name: "Maria", plate: "XXX1234" }, own, ["/name", "/plate"]],
    ["a field that was not sent, too", { name: "Eleni", agent: "7" }, own, null],
    ["only a field that was not sent", { agent: "7" }, own, []],
    ["none of them", { id: "X-1" }, own, []],
    ["nothing", undefined, own, []],
    ["none, on a connection of its own", { id: "X-1" }, { ...own, isNewConnection: true }, null],
    ["another value, on such a one", { name: "M" }, { ...own, isNewConnection: true }, ["/name"]],
    [
      "another in the one left out",
      { name: "M", plate: "IKY1234" },
      { ...own, except: ["/name"] },
      null,
    ],
    ["nothing but the one left out", { name: "Eleni" }, { ...own, except: ["/name"] }, []],
  ])("%s", (_, answered, facts, expected) => {
    expect(bindingFault(createThing, sent, answered, facts)).toEqual(expected);
  });

  it("anything is a read's own", () => {
    const read: Endpoint = { ...createThing, kind: "read" };
    expect(bindingFault(read, { name: "Eleni" }, { name: "Maria" }, own)).toBeNull();
  });
});

describe("the insurer's identifier", () => {
  it.each([
    ["X", "X"],
    ["7", "7"],
    ["A.b_c:d/e-7", "A.b_c:d/e-7"],
    ["x".repeat(64), "x".repeat(64)],
    ["x".repeat(65), null],
    ["", null],
    ["-7", null],
    ["_7", null],
    ["Α7", null],
    ["X 7", null],
    ["X\n", "X"],
    [" X\u200b7", "X7"],
    [7, null],
    [null, null],
  ])("%j is given as %j", (id, expected) => {
    expect(insurerIdOf(createThing, { id })).toBe(expected);
  });

  it("is none where it was sent as a value, and is one where it is only a part of what was sent", () => {
    const item = { id: "A1" };
    expect(insurerIdOf(createThing, item, { holder: { afm: "A1" } })).toBeNull();
    expect(insurerIdOf(createThing, item, "A1")).toBeNull();
    expect(insurerIdOf(createThing, item, { holder: { afm: "A12" } })).toBe("A1");
    expect(insurerIdOf(createThing, item, null)).toBe("A1");
  });

  it("is none where the endpoint declares none", () => {
    const { insurerId: _, ...unnamed } = createThing;
    expect(insurerIdOf(unnamed, { id: "X-1" })).toBeNull();
  });
});
