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

describe("the items of a search", () => {
  it.each<[string, readonly unknown[], boolean, readonly string[]]>([
    ["equal their parameters", [own, own], true, []],
    ["equal a number with the same digits", [{ ...own, holder: { afm: 123456789 } }], true, []],
    ["equal another Unicode form", [{ ...own, broker: "Ά-1".normalize("NFD") }], true, []],
    ["leave out a parameter that was sent", [{ ...own, plate: undefined }], false, []],
    ["differ in one of them", [own, { ...own, plate: "IKY2" }], true, ["/plate"]],
    [
      "differ in all",
      [{ holder: { afm: "9" }, broker: "B", plate: "X" }],
      true,
      ["/holder/afm", "/broker", "/plate"],
    ],
    // Unicode's own NFC would take minutes for this number of marks.
    [
      "differ in a text of 400,000 combining marks",
      [{ ...own, plate: `a${"\u0327\u0301".repeat(200_000)}` }],
      true,
      ["/plate"],
    ],
    ["are none", [], false, []],
    ["repeat nothing", [{ other: 1 }, null, { holder: { afm: null } }], false, []],
  ])("%s", (_, items, isCompared, different) => {
    expect(compareEchoes(echoing, input, { items })).toEqual({ isCompared, different });
  });

  it("are not compared with a parameter that was not sent, or in a field that is left out", () => {
    const page = { items: [{ ...own, holder: { afm: "9" } }] };
    expect(compareEchoes(echoing, { ...input, query: {} }, page).different).toEqual([]);
    expect(compareEchoes(echoing, input, page, ["/holder/afm"]).different).toEqual([]);
  });

  it("may equal one of several values of a parameter", () => {
    const several = { ...input, query: { clientAfm: ["1", "123456789"] } };
    expect(compareEchoes(echoing, several, { items: [own] }).different).toEqual([]);
  });
});

describe("the declaration of what items repeat", () => {
  const faultsOf = (endpoint: Endpoint): readonly string[] =>
    providerFaults({ ...providerM, endpoints: { one: endpoint } });

  it.each<[string, Endpoint, readonly string[]]>([
    ["is accepted", { ...searchPolicies, echoes: { clientAfm: "/holder/afm" } }, []],
    [
      "is refused without a parameter",
      { ...searchPolicies, echoes: {} },
      ["one: `echoes` must name a parameter"],
    ],
    [
      "is refused for a parameter of a body that the search does not have",
      { ...searchPolicies, echoes: { "/afm": "/holder/afm" } },
      ["one: `echoes` has /afm, which the search does not take"],
    ],
    [
      "is refused for a place that is no JSON Pointer",
      { ...searchPolicies, echoes: { clientAfm: "holder.afm" } },
      ['one: `echoes` has "holder.afm", which is no JSON Pointer'],
    ],
    [
      "is refused for another kind",
      { ...listBrands, echoes: { code: "/code" } },
      ["one: only a search has `echoes`"],
    ],
  ])("%s", (_, endpoint, faults) => {
    expect(faultsOf(endpoint)).toEqual(faults);
  });
});
