import { assertValid, check } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { listBrands as examples } from "../src/examples/index.ts";
import { listBrands, providerA } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { brandList } from "../src/schemas/brand-list.ts";

const call = { input: {}, scenario: null };
const now = () => new Date("2026-11-21T08:00:00Z");

describe("the endpoint listBrands", () => {
  it("the endpoint listBrands is a lookup with the method and path of the interface specification", () => {
    expect(providerA.endpoints.listBrands).toBe(listBrands);
    expect(listBrands).toMatchObject({ kind: "lookup", method: "GET", path: "/auto/brands" });
  });

  it.each(Object.entries(examples))(
    "the example %s of listBrands matches the schema of the answer",
    (name, { response }) => {
      expect(assertValid(brandList, response, name)).toEqual(response);
    },
  );

  it("the schema of brands accepts an undeclared field of the insurer, and refuses a brand without a code", () => {
    const body = { items: [{ code: "TOY", name: "Toyota", country: "JP" }] };
    expect(check(brandList, body)).toEqual({ valid: true, value: body });
    expect(check(brandList, { items: [{ name: "Toyota" }] })).toMatchObject({
      valid: false,
      faults: [{ pointer: "/items/0/code", code: "REQUIRED" }],
    });
  });
});

describe("the sandbox of provider A", () => {
  const answer = sandbox.handlers.listBrands?.(call, [], now);
  const { items } = assertValid(
    brandList,
    answer !== undefined && "body" in answer ? answer.body : undefined,
    "the answer",
  );

  it("the sandbox answers listBrands with 200 and more than 50 brands, sorted by name", () => {
    const names = items.map(({ name }) => name);
    expect(answer?.status).toBe(200);
    expect(names.length).toBeGreaterThan(50);
    expect(names).toEqual(names.toSorted(new Intl.Collator("en").compare));
  });

  it("each brand in the sandbox has a unique code of three capitals", () => {
    const codes = items.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });

  it("the sandbox contains every brand of the examples with the same code", () => {
    const shown = Object.values(examples).flatMap(({ response }) => response?.items ?? []);
    expect(items).toEqual(expect.arrayContaining(shown));
  });
});
