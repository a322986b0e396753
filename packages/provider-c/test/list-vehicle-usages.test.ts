import { assertValid } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { listVehicleUsages as examples } from "../src/examples/index.ts";
import { listVehicleUsages } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { vehicleUsageList } from "../src/schemas/vehicle-usage-list.ts";

const now = () => new Date("2026-11-21T08:00:00Z");

describe("listVehicleUsages", () => {
  it("is the lookup that the specification names", () => {
    expect(listVehicleUsages).toMatchObject({
      kind: "lookup",
      method: "GET",
      path: "/vehicle/usages",
    });
  });

  it.each(Object.entries(examples))("has an example %s that parses", (name, { response }) => {
    expect(assertValid(vehicleUsageList, response, name)).toEqual(response);
  });
});

describe("the sandbox", () => {
  const answer = sandbox.handlers.listVehicleUsages?.({ input: {}, scenario: null }, [], now);
  const { items } = assertValid(
    vehicleUsageList,
    answer !== undefined && "body" in answer ? answer.body : undefined,
    "the answer",
  );

  it("answers 200 with the usages by code, each once, the private car first", () => {
    const codes = items.map(({ code }) => code);
    expect(answer?.status).toBe(200);
    expect(codes).toEqual([...new Set(codes)].toSorted());
    expect(items[0]).toMatchObject({ code: "00", category: "PRIVATE" });
  });

  it("has a usage of every category", () => {
    expect([...new Set(items.map(({ category }) => category))].toSorted()).toEqual([
      "AGRICULTURAL",
      "BUS",
      "HIRE",
      "MOTORCYCLE",
      "OTHER",
      "PRIVATE",
      "TAXI",
      "TRUCK_PRIVATE",
      "TRUCK_PUBLIC",
    ]);
  });

  it("knows every usage of the examples in the same words", () => {
    const shown = Object.values(examples).flatMap(({ response }) => response?.items ?? []);
    expect(items).toEqual(expect.arrayContaining(shown));
  });
});
