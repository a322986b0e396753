import { assertValid, check } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { listBrands as examples } from "../src/examples/index.ts";
import { listBrands, providerA } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { brandList } from "../src/schemas/brand-list.ts";

const call = { input: {}, scenario: null };
const now = () => new Date("2026-11-21T08:00:00Z");

describe("listBrands", () => {
  it("is the lookup that the specification names", () => {
    expect(providerA.endpoints.listBrands).toBe(listBrands);
    expect(listBrands).toMatchObject({ kind: "lookup", method: "GET", path: "/auto/brands" });
  });

  it.each(Object.entries(examples))("has an example %s that parses", (name, { response }) => {
    expect(assertValid(brandList, response, name)).toEqual(response);
  });

  it("lets an insurer's new field through and refuses a brand without a code", () => {
    const body = { items: [{ code: "TOY", name: "Toyota", country: "JP" }] };
    expect(check(brandList, body)).toEqual({ valid: true, value: body });
    expect(check(brandList, { items: [{ name: "Toyota" }] })).toMatchObject({
      valid: false,
      faults: [{ pointer: "/items/0/code", code: "REQUIRED" }],
    });
  });
});

describe("the sandbox", () => {
  const answer = sandbox.handlers.listBrands?.(call, [], now);
  const { items } = assertValid(
    brandList,
    answer !== undefined && "body" in answer ? answer.body : undefined,
    "the answer",
  );

  it("answers 200 with brands by name", () => {
    const names = items.map(({ name }) => name);
    expect(answer?.status).toBe(200);
    expect(names.length).toBeGreaterThan(50);
    expect(names).toEqual(names.toSorted(new Intl.Collator("en").compare));
  });

  it("gives every brand a code of its own, in capitals", () => {
    const codes = items.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });

  it("knows every brand of the examples by the same code", () => {
    const shown = Object.values(examples).flatMap(({ response }) => response?.items ?? []);
    expect(items).toEqual(expect.arrayContaining(shown));
  });
});
