import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readProviderPackage } from "../src/build/index.ts";
import { operationsOf, packagedDocument, providerDocument } from "../src/index.ts";

const folder = fileURLToPath(new URL("../../provider-d", import.meta.url));
const source = await readProviderPackage(folder);
const own = providerDocument(source);

it("the OpenAPI document of a provider package contains the outcome rules of submissions and the adapter's table of failures", () => {
  const [create] = operationsOf(own).map(({ operation }) => operation["x-outcome-rules"]);
  expect(create).toMatchObject({
    idempotency: "reconcile",
    insurerId: "/applicationId",
    reconcile: { endpoint: "searchApplications", createdAt: "/createdAt" },
    settleAfterMs: 60_000,
    closedWhen: { at: "/status" },
  });
  const plate = create?.same?.find((field) => typeof field !== "string");
  expect(plate).toMatchObject({ at: "/vehicle/plateNumber", normaliser: expect.any(String) });
  expect(Object.entries(plate?.forms ?? {})).not.toEqual([]);
  expect(own.info["x-failures"]).toContainEqual(
    expect.objectContaining({ is: ["MTR-4091"], code: "DUPLICATE_APPLICATION" }),
  );
});

it("the OpenAPI document that a gateway serves contains no outcome rules", () => {
  expect(JSON.stringify(packagedDocument(source))).not.toMatch(/x-outcome-rules|x-failures|MTR-/);
});
