import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type PackageTypes, readPackageTypes } from "../src/documentation/package-types.ts";
import { typeFaults } from "../src/documentation/type-faults.ts";
import { endpoints } from "./diverging-provider/src/index.ts";
import { oddProvider } from "./odd-provider/src/index.ts";

const typesOf = (folder: string): PackageTypes =>
  readPackageTypes(fileURLToPath(new URL(folder, import.meta.url)));
const file = "(src/index.ts)";

it("the type check of a package reports each schema that refuses values of its declared type, with the type's file", () => {
  const faults = typeFaults(typesOf("./diverging-provider"), endpoints);
  expect(faults).toEqual([
    `takeOrder, body /cover/kind: the type is "A" | "B", the schema "A" ${file}`,
    `takeOrder, body /cover/amount: the type is null | number, the schema null ${file}`,
    `takeOrder, body /cover/progress: the type is "BEGUN" | "DONE" | other strings, the schema "BEGUN" | "DNOE" | other strings ${file}`,
    `takeOrder, body /cover/notes: the type is list | string, the schema string ${file}`,
    `takeOrder, body /cover/limits/*: the type is "A" | "B", the schema "A" ${file}`,
    `takeOrder, body /cover/contact/number: the type is string, the schema "1" | "2" ${file}`,
    `takeOrder, response /number: the type is string, the schema "1" ${file}`,
    `searchOrders, query /customer: the type is "ALL" | "OWN", the schema "OWN" ${file}`,
    `searchOrders, item /number: the type is string, the schema "1" ${file}`,
  ]);
});

it("the type check of a package accepts schemas that match their declared types", () => {
  expect(typeFaults(typesOf("./odd-provider"), oddProvider.endpoints)).toEqual([]);
});
