import { operationsOf } from "@insurance-gateway/reference";
import { expect, it } from "vitest";
import { accepts, answering, imported, object, taking } from "./sample.ts";
import { contractOf } from "./written-contract.ts";

it("the build of an imported package writes a contract in which each map keeps the limits of the map's values", async () => {
  const map = (rules: object): object => ({
    type: "object",
    additionalProperties: { type: "string", ...rules },
  });
  const maps = { any: map({}), short: map({ maxLength: 9 }), filled: map({ minLength: 1 }) };
  const { components } = await contractOf(answering(object(maps)));
  const [answer] = Object.values(components.schemas);
  const values = Object.values(answer?.properties ?? {}).map((one) => one["additionalProperties"]);
  expect(values).toMatchObject([{}, { maxLength: 9 }, { minLength: 1 }]);
});

it("the contract of an imported package contains the descriptions of a map's values", async () => {
  const values = object({ sum: { type: "string", description: "In euros." } });
  const document = await contractOf(answering({ type: "object", additionalProperties: values }));
  expect(JSON.stringify(document)).toContain("In euros.");
});

it("a field or parameter with a simple schema has the schema's description and default in the contract", async () => {
  const link = { type: "string", description: "Where it is.", default: "https://x" };
  const document = await contractOf(
    {
      get: {
        parameters: [
          {
            name: "size",
            in: "query",
            description: "Items.",
            schema: { type: "integer", default: 30 },
          },
        ],
        ...Object(
          Reflect.get(answering(object({ link: { $ref: "#/components/schemas/Link" } })), "get"),
        ),
      },
    },
    { Link: link },
  );
  const text = JSON.stringify(document);
  expect(text).toContain("Items.\\nDefault: `30`.");
  expect(text).toContain("Where it is.\\nDefault: `https://x`.");
});

it("the type of a named schema, and parameters of this type, have the schema's default and deprecation in the contract", async () => {
  const lang = { type: "string", enum: ["el", "en"], default: "el", description: "A language." };
  const reference = { $ref: "#/components/schemas/Lang" };
  const old = { ...object({ lang: reference }), deprecated: true, default: { lang: "el" } };
  const document = await contractOf(
    {
      get: {
        parameters: [{ name: "lang", in: "query", schema: reference }],
        ...Object(Reflect.get(answering({ $ref: "#/components/schemas/Old" }), "get")),
      },
    },
    { Lang: lang, Old: old },
  );
  const texts = "A language.\nDefault: `el`.";
  const [parameter] = operationsOf(document)[0]?.operation.parameters ?? [];
  expect(parameter?.description).toBe(texts);
  const { Lang, Old } = document.components.schemas;
  expect(Lang?.description).toBe(texts);
  expect(Old?.description).toBe('Deprecated by the insurer.\nDefault: `{"lang":"el"}`.');
});

it("the contract of an imported package contains the descriptions of headers and of alternatives without fields", async () => {
  const alternatives = [
    { type: "string", enum: [""], description: "Without a position." },
    { type: "number", description: "Degrees." },
    { type: "boolean" },
  ];
  const document = await contractOf({
    get: {
      responses: {
        200: {
          description: "",
          headers: { "X-Total": { description: "All of them.", schema: { type: "integer" } } },
          content: {
            "application/json": { schema: object({ longitude: { oneOf: alternatives } }) },
          },
        },
      },
    },
  });
  const [answer] = Object.values(operationsOf(document)[0]?.operation.responses ?? {});
  expect(answer?.headers?.["x-total"]).toMatchObject({ description: "All of them." });
  const texts = '- `""`: Without a position.\n- Degrees.';
  expect(JSON.stringify(document)).toContain(JSON.stringify(texts).slice(1, -1));
});

it("the contract of an imported package lists the known values of an open text, and the package accepts other values", async () => {
  const fields = { kind: { type: "string", "x-extensible-enum": ["CAR", "BOAT"] } };
  for (const item of [taking(object(fields)), answering(object(fields))])
    expect(JSON.stringify((await contractOf(item)).components.schemas)).toContain(
      '"x-extensible-enum":["CAR","BOAT"]',
    );
  expect(accepts(imported({ "/a": taking(object(fields)) }), { kind: "PLANE" })).toBe(true);
});

it("the contract of an imported package contains the description of a body without fields", async () => {
  const schema = { type: "object", description: "Any JSON." };
  const { components } = await contractOf(taking(schema));
  expect(JSON.stringify(components.schemas)).toContain('"description":"Any JSON."');
});

it("the contract of an imported package contains every format of requests and answers", async () => {
  const formats: readonly (readonly [string, string])[] = [
    ["integer", "int32"],
    ["number", "double"],
    ["number", "money"],
    ["string", "yyyy-MM-dd HH:mm"],
  ];
  const fields = Object.fromEntries(
    formats.map(([type, format], index) => [`f${index}`, { type, format }]),
  );
  for (const item of [taking(object(fields)), answering(object(fields))]) {
    const { components } = await contractOf(item);
    const found = Object.values(components.schemas).find(({ properties }) => properties?.f0);
    const published = Object.values(found?.properties ?? {}).map(({ format, type }) => [
      type,
      format,
    ]);
    expect(published).toEqual(formats);
  }
});
