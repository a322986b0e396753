import { expect, it } from "vitest";
import { answering, imported, object, taking } from "./sample.ts";
import { contractOf } from "./written-contract.ts";

it("the build of an imported package writes a contract for nine types that all refer to one another", async () => {
  const names = Array.from({ length: 9 }, (_, index) => `Shape${index + 1}`);
  const any = { oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  const shapes = names.map((name) => {
    const kind = { type: "string", enum: [name] };
    const properties = { kind, inner: any, all: { type: "array", items: any } };
    return [name, { type: "object", required: ["kind"], properties }];
  });
  const document = await contractOf(answering(any), Object.fromEntries(shapes));
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
});

it("the build of an imported package writes a contract for an enum with the alternatives empty text and null", async () => {
  const cover = {
    oneOf: [{ $ref: "#/components/schemas/Cover" }, { enum: [""] }, { type: "null" }],
  };
  const plain = { $ref: "#/components/schemas/Cover" };
  const document = await contractOf(taking(object({ cover, plain })), {
    Cover: { type: "string", enum: ["FULL", "BASIC"] },
  });
  expect(document.components.schemas["Cover"]).toMatchObject({ enum: ["FULL", "BASIC"] });
});

it.each([
  ["a description", { description: "The parent." }],
  ["null", { nullable: true }],
  ["a type", { type: "object" }],
])(
  "an imported schema that refers to itself through `allOf` remains recursive if the `allOf` also contains %s",
  async (_, beside) => {
    const parent = { allOf: [{ $ref: "#/components/schemas/Node" }, beside] };
    const node = {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" }, parent },
    };
    const { schemas: written } = (
      await contractOf(answering({ $ref: "#/components/schemas/Node" }), { Node: node })
    ).components;
    const deepest = Object.values(written).find(({ properties }) => properties?.["parent"]);
    expect(JSON.stringify(deepest?.properties?.["parent"])).toContain("#/components/schemas/Node");
  },
);

it("a percent-encoded reference and a plain reference to the same schema become the same imported type", async () => {
  const name = "Result«Quote»";
  const answers = (reference: string): object => answering({ $ref: reference });
  const { endpoints } = imported(
    {
      "/a": answers(`#/components/schemas/${encodeURIComponent(name)}`),
      "/b": answers(`#/components/schemas/${name}`),
    },
    { [name]: object({ id: { type: "string" } }) },
  );
  const [a, b] = endpoints.map(({ answers: [first] }) => first?.media?.[0]?.definition);
  expect(a).toBeDefined();
  expect(a).toBe(b);
});
