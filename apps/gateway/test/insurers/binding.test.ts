import type { Endpoint, Normaliser } from "@insurance-gateway/core/contract";
import {
  bindingFault,
  insurerIdOf,
  listDifferences,
  shownIdOf,
} from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";

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

describe("a list of another search", () => {
  const search: Endpoint = {
    ...createThing,
    kind: "search",
    method: "GET",
    echoes: { afm: "/afm" },
  };
  const input = { params: {}, query: { afm: "1", start: 20, limit: 10 }, headers: {}, body: null };
  const own = { items: [{ afm: "1" }], start: 20, limit: 10 };
  const kept = { except: [], isNewConnection: false };
  const fresh = { ...kept, isNewConnection: true };
  it.each([
    ["is none that repeats everything", own, kept, null],
    ["has items of another", { ...own, items: [{ afm: "1" }, { afm: "2" }] }, kept, ["/afm"]],
    ["has another position", { ...own, start: 0 }, kept, ["/start"]],
    ["has another size", { ...own, limit: 20 }, kept, ["/limit"]],
    ["differs in both", { ...own, start: 0, limit: 20 }, kept, ["/start", "/limit"]],
    ["may be one without a position", { items: own.items }, kept, []],
    ["may be one without items", { ...own, items: [] }, kept, []],
    ["has items of another on its own connection", { items: [{ afm: "2" }] }, fresh, ["/afm"]],
    ["is none on its own connection for its position", { ...own, start: 0 }, fresh, null],
    [
      "is none for a position left out",
      { ...own, start: 0 },
      { ...kept, except: ["/start"] },
      null,
    ],
    ["is none for a size left out", { ...own, limit: 1 }, { ...kept, except: ["/limit"] }, null],
    ["is none where nothing is compared", { items: [] }, { ...kept, except: ["/afm"] }, null],
  ])("%s", (_, page, facts, expected) => {
    expect(listDifferences(search, input, page, facts)).toEqual(expected);
  });
});

describe("the insurer's identifier", () => {
  it.each([
    ["X", "X"],
    ["7", "7"],
    ["A.b_c:d/e-7", "A.b_c:d/e-7"],
    ["x".repeat(200), "x".repeat(200)],
    ["\u{1F697}".repeat(200), "\u{1F697}".repeat(200)],
    ["x".repeat(201), null],
    ["", null],
    ["\u200b ", null],
    ["-7", "-7"],
    ["_7", "_7"],
    ["Α7", "Α7"],
    ["Α\u0301", "Ά"],
    ["X 7", "X 7"],
    ["№5 (a@b) #", "№5 (a@b) #"],
    ["X\n", "X"],
    ["X\n7", null],
    ["X\u00077", null],
    [" X\u200b7", "X7"],
    [7, "7"],
    [-7, "-7"],
    [7.5, null],
    [2 ** 53, null],
    [true, null],
    [["X"], null],
    [null, null],
  ])("%j is given as %j", (id, expected) => {
    expect(insurerIdOf(createThing, { id })).toBe(expected);
  });

  it.each<[unknown, unknown, string | null]>([
    ["A1", { holder: { afm: "A1" } }, null],
    ["A1", "A1", null],
    ["A1", { holder: { afm: "A12" } }, "A1"],
    ["A1", null, "A1"],
    [12, { amount: 12 }, null],
    ["12", { amount: 12 }, null],
    [12, { amount: 123 }, "12"],
    ["Maria Papa", null, null],
    ["Μαρία", null, null],
    ["x".repeat(65), null, null],
  ])("%j in a broken answer to %j is shown as %j", (id, sent, expected) => {
    expect(shownIdOf(createThing, { id }, sent)).toBe(expected);
  });

  it("is none where the endpoint declares none", () => {
    const { insurerId: _, ...unnamed } = createThing;
    expect(insurerIdOf(unnamed, { id: "X-1" })).toBeNull();
  });
});
