import { expect, it } from "vitest";
import { type Contract, compareContracts } from "../src/index.ts";

/** The number of times that a comparison reads one schema. */
interface Reads {
  count: number;
}

/** A contract whose operations all answer with one named schema. A field of that schema counts its readings. */
function contractOf(operations: number, added: object, reads: Reads): Contract {
  const counting = {
    get type() {
      reads.count += 1;
      return "string";
    },
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } };
  const paths = Array.from({ length: operations }, (_, index) => [
    `/things-${index}`,
    { get: { operationId: `get${index}`, responses: { 200: { description: "", content } } } },
  ]);
  const thing = { type: "object", properties: { same: { properties: { counting } }, ...added } };
  return { paths: Object.fromEntries(paths), components: { schemas: { Thing: thing } } };
}

function readsOf(operations: number): number {
  const reads: Reads = { count: 0 };
  const [before, after] = [{}, { added: { type: "string" } }].map((added) =>
    contractOf(operations, added, reads),
  );
  const changes = compareContracts(before ?? expect.unreachable(), after ?? expect.unreachable());
  expect(changes).toHaveLength(operations);
  return reads.count;
}

it("contract-diff reads the unchanged part of a changed schema as often for 100 operations as for one", () => {
  expect(readsOf(100)).toBe(readsOf(1));
  expect(readsOf(1)).toBeGreaterThan(0);
});
