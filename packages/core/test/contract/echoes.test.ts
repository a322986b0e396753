import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/index.ts";
import { compareEchoes, providerFaults } from "../../src/runtime.ts";
import { listBrands, providerM, searchPolicies } from "../harness/declarations.ts";

const plate = {
  at: "/plate",
  normaliser: {
    name: "plate",
    normalise: (text: string) => text.replaceAll("-", ""),
    examples: [],
  },
};
const echoing: Endpoint = {
  ...searchPolicies,
  path: "/brokers/{broker}/policies",
  echoes: { clientAfm: "/holder/afm", broker: "/broker", "/filter/plate": plate },
};
const input = {
  params: { broker: "Ά-1" },
  query: { clientAfm: "123456789" },
  body: { filter: { plate: "IKY-1" } },
};
const own = { holder: { afm: "123456789" }, broker: "Ά-1", plate: "IKY1" };

describe("search parameters that found items repeat", () => {
  it.each<[string, readonly unknown[], boolean, readonly string[]]>([
    ["items with equal values", [own, own], true, []],
    ["a number with the same digits", [{ ...own, holder: { afm: 123456789 } }], true, []],
    [
      "another Unicode form of the same text",
      [{ ...own, broker: "Ά-1".normalize("NFD") }],
      true,
      [],
    ],
    ["items without one of the parameters", [{ ...own, plate: undefined }], false, []],
    [
      "a different value in one field of one item",
      [own, { ...own, plate: "IKY2" }],
      true,
      ["/plate"],
    ],
    [
      "different values in all fields",
      [{ holder: { afm: "9" }, broker: "B", plate: "X" }],
      true,
      ["/holder/afm", "/broker", "/plate"],
    ],
    // `String.prototype.normalize("NFC")` would take minutes for 400,000 combining marks.
    [
      "a different text of 400,000 combining marks",
      [{ ...own, plate: `a${"\u0327\u0301".repeat(200_000)}` }],
      true,
      ["/plate"],
    ],
    ["an empty list of items", [], false, []],
    [
      "items without any of the parameters",
      [{ other: 1 }, null, { holder: { afm: null } }],
      false,
      [],
    ],
  ])(
    "the gateway compares every item of a search's answer with the search's parameters: %s",
    (_, items, isCompared, different) => {
      expect(compareEchoes(echoing, input, { items })).toEqual({ isCompared, different });
    },
  );

  it("the comparison of items with search parameters skips a parameter that was not sent, and a field that the operator excluded", () => {
    const page = { items: [{ ...own, holder: { afm: "9" } }] };
    expect(compareEchoes(echoing, { ...input, query: {} }, page).different).toEqual([]);
    expect(compareEchoes(echoing, input, page, ["/holder/afm"]).different).toEqual([]);
  });

  it("an item matches a search parameter with several values if the item has one of the values", () => {
    const several = { ...input, query: { clientAfm: ["1", "123456789"] } };
    expect(compareEchoes(echoing, several, { items: [own] }).different).toEqual([]);
  });
});

describe("the declaration of `echoes`", () => {
  const faultsOf = (endpoint: Endpoint): readonly string[] =>
    providerFaults({ ...providerM, endpoints: { one: endpoint } });

  it.each<[string, Endpoint, readonly string[]]>([
    [
      "a valid parameter and field",
      { ...searchPolicies, echoes: { clientAfm: "/holder/afm" } },
      [],
    ],
    ["no parameter", { ...searchPolicies, echoes: {} }, ["one: `echoes` must name a parameter"]],
    [
      "a body parameter of a search without a body",
      { ...searchPolicies, echoes: { "/afm": "/holder/afm" } },
      ["one: `echoes` has /afm, which must be a parameter of the search"],
    ],
    [
      "a place that is not a JSON Pointer",
      { ...searchPolicies, echoes: { clientAfm: "holder.afm" } },
      ['one: `echoes` has "holder.afm", which must be a JSON Pointer'],
    ],
    [
      "a lookup instead of a search",
      { ...listBrands, echoes: { code: "/code" } },
      ["one: only a search has `echoes`"],
    ],
  ])(
    "the declaration check accepts `echoes` only if `echoes` maps parameters of a search to places in an item: %s",
    (_, endpoint, faults) => {
      expect(faultsOf(endpoint)).toEqual(faults);
    },
  );
});
