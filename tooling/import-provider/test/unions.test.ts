import type { JsonSchema, ProviderDocument } from "@insurance-gateway/reference";
import { expect, it } from "vitest";
import { accepts, answering, imported, object, taking } from "./sample.ts";
import { contractOf } from "./written-contract.ts";

/** Returns the alternatives of the only union, each as its component. */
function alternativesOf(document: ProviderDocument): readonly JsonSchema[] {
  const { schemas } = document.components;
  const union = Object.values(schemas).find((one) => (one.anyOf ?? one["oneOf"]) !== undefined);
  const listed = (union?.anyOf ?? union?.["oneOf"] ?? []) as readonly JsonSchema[];
  return listed.map(({ $ref = "" }) => schemas[$ref.split("/").at(-1) ?? ""] ?? {});
}

/** Alternatives whose field `sum` differs in its type and description. */
const sums = {
  anyOf: [
    object(
      { sum: { type: "string", description: "In euros." } },
      { description: "A motor policy." },
    ),
    object(
      { sum: { type: "integer", description: "In cents." } },
      { description: "A life policy." },
    ),
  ],
};

it.each([
  ["an answer", answering(sums)],
  ["a request", taking(sums)],
])(
  "alternatives of a union that have the same field names keep separate descriptions and field types in %s",
  async (_, item) => {
    const [motor, life] = alternativesOf(await contractOf(item));
    expect(motor).toMatchObject({
      description: "A motor policy.",
      properties: { sum: { type: "string", description: "In euros." } },
    });
    expect(life).toMatchObject({
      description: "A life policy.",
      properties: { sum: { type: "integer", description: "In cents." } },
    });
  },
);

it("alternatives of a union whose list fields have the same name keep separate types for the items", async () => {
  const list = (name: string): object =>
    object({ owners: { type: "array", items: { $ref: `#/components/schemas/${name}` } } });
  const document = await contractOf(taking({ oneOf: [list("Person"), list("Company")] }), {
    Person: object({ afm: { type: "string" } }),
    Company: object({ gemi: { type: "string" } }),
  });
  const owners = alternativesOf(document).map(({ properties }) => properties?.["owners"]?.items);
  expect(owners).toEqual(
    ["Person", "Company"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  );
});

it("an imported parent schema that lists child schemas becomes a union of the child schemas", async () => {
  const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const child = (properties: object): object => ({
    allOf: [reference("Risk"), { type: "object", properties }],
  });
  const document = await contractOf(answering(reference("Risk")), {
    Risk: object(
      { kind: { type: "string" } },
      {
        discriminator: {
          propertyName: "kind",
          mapping: { CAR: "#/components/schemas/Car", HOME: "#/components/schemas/Home" },
        },
        oneOf: [reference("Car"), reference("Home")],
      },
    ),
    Car: child({ plate: { type: "string" } }),
    Home: child({ area: { type: "number" } }),
  });
  const [car, home] = alternativesOf(document);
  expect(Object.keys(car?.properties ?? {})).toEqual(["kind", "plate"]);
  expect(Object.keys(home?.properties ?? {})).toEqual(["kind", "area"]);
});

it("a request of an imported package may contain the fields of several `anyOf` alternatives", () => {
  const need = (name: string): object => ({
    required: [name],
    properties: { [name]: { type: "string" } },
  });
  const schema = {
    type: "object",
    properties: { name: { type: "string" } },
    anyOf: [need("email"), need("phone")],
  };
  const written = imported({ "/a": taking(schema) });
  expect(accepts(written, { name: "a", email: "b", phone: "c" })).toBe(true);
  expect(accepts(written, { phone: "c" })).toBe(true);
  expect(accepts(written, { name: "a" })).toBe(false);
  expect(accepts(written, { email: "b", other: "c" })).toBe(false);
});

it("an `anyOf` alternative that does not declare a field accepts each type that other alternatives declare for the field", () => {
  const alternative = (name: string, x: object): object => ({
    type: "object",
    required: [name],
    properties: { [name]: { type: "string" }, ...x },
  });
  const anyOf = [
    alternative("a", {}),
    alternative("b", { x: { type: "string" } }),
    alternative("c", { x: { type: "integer" } }),
  ];
  const written = imported({ "/a": taking({ anyOf }) });
  for (const x of ["1", 1]) expect(accepts(written, { a: "a", x })).toBe(true);
  expect(accepts(written, { a: "a", x: true })).toBe(false);
});
