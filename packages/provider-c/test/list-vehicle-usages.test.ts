import { assertValid } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { listVehicleUsages as examples } from "../src/examples/index.ts";
import { listVehicleUsages } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { vehicleUsageList } from "../src/schemas/vehicle-usage-list.ts";

const now = () => new Date("2026-11-21T08:00:00Z");

describe("the endpoint listVehicleUsages", () => {
  it("the endpoint listVehicleUsages is a lookup with the method and path of the interface specification", () => {
    expect(listVehicleUsages).toMatchObject({
      kind: "lookup",
      method: "GET",
      path: "/vehicle/usages",
    });
  });

  it.each(Object.entries(examples))(
    "the example %s of listVehicleUsages matches the schema of the answer",
    (name, { response }) => {
      expect(assertValid(vehicleUsageList, response, name)).toEqual(response);
    },
  );
});

describe("the sandbox of provider C", () => {
  const answer = sandbox.handlers.listVehicleUsages?.({ input: {}, scenario: null }, [], now);
  const { items } = assertValid(
    vehicleUsageList,
    answer !== undefined && "body" in answer ? answer.body : undefined,
    "the answer",
  );

  it("the sandbox answers 200 with unique vehicle usages, sorted by code, with the private car first", () => {
    const codes = items.map(({ code }) => code);
    expect(answer?.status).toBe(200);
    expect(codes).toEqual([...new Set(codes)].toSorted());
    expect(items[0]).toMatchObject({ code: "00", category: "PRIVATE" });
  });

  it("the sandbox has at least one vehicle usage of every category", () => {
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

  it("the sandbox contains every vehicle usage of the examples with the same names and codes", () => {
    const shown = Object.values(examples).flatMap(({ response }) => response?.items ?? []);
    expect(items).toEqual(expect.arrayContaining(shown));
  });
});
