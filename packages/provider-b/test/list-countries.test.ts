import { assertValid, check } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { listCountries as examples } from "../src/examples/index.ts";
import { listCountries, providerB } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { countryList } from "../src/schemas/country-list.ts";

const call = { input: {}, scenario: null };
const now = () => new Date("2026-11-21T08:00:00Z");

describe("the endpoint listCountries", () => {
  it("the endpoint listCountries is a lookup with the method and path of the interface specification", () => {
    expect(providerB.endpoints.listCountries).toBe(listCountries);
    expect(listCountries).toMatchObject({ kind: "lookup", method: "GET", path: "/countries" });
  });

  it.each(Object.entries(examples))(
    "the example %s of listCountries matches the schema of the answer",
    (name, { response }) => {
      expect(assertValid(countryList, response, name)).toEqual(response);
    },
  );

  it("the schema of countries accepts an unknown zone, but refuses null as a zone", () => {
    const greece = { code: "GR", alpha3: "GRC", name: "Greece", nameEl: "Ελλάδα", schengen: true };
    expect(check(countryList, { items: [{ ...greece, zone: "BALKANS" }] }).valid).toBe(true);
    expect(check(countryList, { items: [{ ...greece, zone: null }] }).valid).toBe(false);
  });
});

describe("the sandbox of provider B", () => {
  const answer = sandbox.handlers.listCountries?.(call, [], now);
  const { items } = assertValid(
    countryList,
    answer !== undefined && "body" in answer ? answer.body : undefined,
    "the answer",
  );
  const codesOf = (chosen: typeof items) => chosen.map(({ code }) => code).toSorted();

  it("the sandbox answers listCountries with 200 and the 249 entries of ISO 3166-1, without duplicates", () => {
    expect(answer?.status).toBe(200);
    expect(items).toHaveLength(249);
    for (const key of ["code", "alpha3", "name", "nameEl"] as const)
      expect(new Set(items.map((country) => country[key])).size, key).toBe(249);
  });

  it("the sandbox sorts the countries by English name", () => {
    const names = items.map(({ name }) => name);
    expect(names).toEqual(names.toSorted(new Intl.Collator("en").compare));
  });

  it("the Greek names of the sandbox's countries consist of Greek letters", () => {
    const foreign = items.filter(({ nameEl }) => !/^[\p{Script=Greek} ,()'-]+$/u.test(nameEl));
    expect(foreign).toEqual([]);
  });

  it.each([
    ["GR", "Ελλάδα"],
    ["CY", "Κύπρος"],
    ["US", "Ηνωμένες Πολιτείες"],
    ["GB", "Ηνωμένο Βασίλειο"],
    ["MK", "Βόρεια Μακεδονία"],
    ["TR", "Τουρκία"],
    ["NL", "Ολλανδία"],
  ])("the Greek name of the country %s in the sandbox is %s", (code, nameEl) => {
    expect(items.find((country) => country.code === code)?.nameEl).toBe(nameEl);
  });

  it("the sandbox marks exactly the 29 Schengen states as Schengen states", () => {
    expect(codesOf(items.filter(({ schengen }) => schengen)).join(" ")).toBe(
      "AT BE BG CH CZ DE DK EE ES FI FR GR HR HU IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK",
    );
  });

  it("the sandbox assigns only Greece to the zone GREECE, and each other Schengen state to the zone EUROPE", () => {
    expect(codesOf(items.filter(({ zone }) => zone === "GREECE"))).toEqual(["GR"]);
    expect(items.filter(({ schengen, zone }) => schengen && zone === "WORLDWIDE")).toEqual([]);
  });

  it.each([
    ["EUROPE", "CY TR RU UA GB IE AL MD AD MC SM VA LI GI FO AX"],
    ["WORLDWIDE", "US EG GE AM AZ IL MA GL GF RE KZ AQ"],
  ])("the zone %s of the sandbox contains these countries: %s", (zone, codes) => {
    const found = items.filter(({ code }) => codes.split(" ").includes(code));
    expect(found).toHaveLength(codes.split(" ").length);
    expect(found.filter((country) => country.zone !== zone)).toEqual([]);
  });

  it("the sandbox contains every country of the examples with the same names and codes", () => {
    const shown = Object.values(examples).flatMap(({ response }) => response?.items ?? []);
    expect(items).toEqual(expect.arrayContaining(shown));
  });
});
