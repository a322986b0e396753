import type { Endpoint, Normaliser } from "@insurance-gateway/core/contract";
import {
  bindingFault,
  insurerIdOf,
  listDifferences,
  shownIdOf,
} from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";

/** Normaliser that gives one spelling to plates with Greek and Latin letters of the same shape. */
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

describe("the comparison of an answer with its submission", () => {
  const sent = { name: "Eleni", plate: "ΙΚΥ-1234" };
  const own = { except: [], isNewConnection: false };
  it.each([
    ["all match fields equal", { name: "Eleni", plate: "IKY1234" }, own, null],
    ["one match field equal, the other field absent", { name: "Eleni" }, own, null],
    ["one match field different", { name: "Maria", plate: "IKY1234" }, own, ["/name"]],
    ["all match fields different", { name: "Maria", plate: "XXX1234" }, own, ["/name", "/plate"]],
    [
      "an equal match field and a field that was not sent",
      { name: "Eleni", agent: "7" },
      own,
      null,
    ],
    ["only a field that was not sent", { agent: "7" }, own, []],
    ["no match field", { id: "X-1" }, own, []],
    ["no content", undefined, own, []],
    ["no match field, on a new connection", { id: "X-1" }, { ...own, isNewConnection: true }, null],
    [
      "a different match field, on a new connection",
      { name: "M" },
      { ...own, isNewConnection: true },
      ["/name"],
    ],
    [
      "a different value in the excluded field",
      { name: "M", plate: "IKY1234" },
      { ...own, except: ["/name"] },
      null,
    ],
    ["only the excluded field", { name: "Eleni" }, { ...own, except: ["/name"] }, []],
  ])(
    "the gateway finds the match fields in which an insurer's answer differs from the submission: %s",
    (_, answered, facts, expected) => {
      expect(bindingFault(createThing, sent, answered, facts)).toEqual(expected);
    },
  );

  it("the gateway compares answers to submissions that have match fields, but not answers to reads", () => {
    const read: Endpoint = { ...createThing, kind: "read" };
    expect(bindingFault(read, { name: "Eleni" }, { name: "Maria" }, own)).toBeNull();
  });
});

describe("the comparison of a list with its search", () => {
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
    ["everything equal", own, kept, null],
    [
      "an item of another customer",
      { ...own, items: [{ afm: "1" }, { afm: "2" }] },
      kept,
      ["/afm"],
    ],
    ["another position", { ...own, start: 0 }, kept, ["/start"]],
    ["another page size", { ...own, limit: 20 }, kept, ["/limit"]],
    ["another position and page size", { ...own, start: 0, limit: 20 }, kept, ["/start", "/limit"]],
    ["no position and no page size", { items: own.items }, kept, []],
    ["no items", { ...own, items: [] }, kept, []],
    [
      "an item of another customer, on a new connection",
      { items: [{ afm: "2" }] },
      fresh,
      ["/afm"],
    ],
    ["another position, on a new connection", { ...own, start: 0 }, fresh, null],
    [
      "another position, which the operator excludes",
      { ...own, start: 0 },
      { ...kept, except: ["/start"] },
      null,
    ],
    [
      "another page size, which the operator excludes",
      { ...own, limit: 1 },
      { ...kept, except: ["/limit"] },
      null,
    ],
    [
      "no items, with the only compared field excluded",
      { items: [] },
      { ...kept, except: ["/afm"] },
      null,
    ],
  ])(
    "the gateway finds the paging and customer fields in which an insurer's list differs from the search: %s",
    (_, page, facts, expected) => {
      expect(listDifferences(search, input, page, facts)).toEqual(expected);
    },
  );
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
  ])(
    "the gateway reads the insurer's identifier as a text, or as null if the identifier is unusable: %j becomes %j",
    (id, expected) => {
      expect(insurerIdOf(createThing, { id })).toBe(expected);
    },
  );

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
  ])(
    "the problem of an invalid answer shows the insurer's identifier only if the request does not contain the identifier: %j, request %j, shown %j",
    (id, sent, expected) => {
      expect(shownIdOf(createThing, { id }, sent)).toBe(expected);
    },
  );

  it("the gateway reads no insurer's identifier from an answer if the endpoint declares no identifier", () => {
    const { insurerId: _, ...unnamed } = createThing;
    expect(insurerIdOf(unnamed, { id: "X-1" })).toBeNull();
  });
});
