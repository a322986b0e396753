import { expect, it } from "vitest";
import { parameterAgreementOf } from "./parameter-agreement.ts";
import { documentFile, imported } from "./sample.ts";

const text = { type: "string", minLength: 2, maxLength: 4 };
const whole = { type: "integer", minimum: 1, maximum: 9 };
const words = { type: "string", enum: ["new", "old", "12"] };

/** One parameter for each way in which a document can describe a parameter. */
const parameters: readonly object[] = [
  { in: "path", name: "id", required: true, schema: whole },
  { in: "path", name: "policy kind", required: true, schema: words },
  { in: "query", name: "text", required: true, schema: text },
  { in: "query", name: "day", schema: { type: "string", format: "date" } },
  { in: "query", name: "amount", schema: { type: "number", exclusiveMaximum: 10 } },
  { in: "query", name: "isOpen", schema: { type: "boolean" } },
  { in: "query", name: "anything", schema: {} },
  { in: "query", name: "either", schema: { oneOf: [{ type: "integer" }, words] } },
  { in: "query", name: "maybe", schema: { anyOf: [whole, { type: "null" }] } },
  { in: "query", name: "close", schema: { anyOf: [whole, { enum: [10, 20] }] } },
  { in: "query", name: "one", schema: { enum: [1, 2, 3] } },
  { in: "query", name: "mixed", schema: { enum: ["a", 1, true] } },
  { in: "query", name: "repeated", schema: { type: "array", items: whole, maxItems: 2 } },
  {
    in: "query",
    name: "joined",
    explode: false,
    schema: { type: "array", items: words, uniqueItems: true },
  },
  {
    in: "query",
    name: "piped",
    style: "pipeDelimited",
    explode: false,
    schema: { type: "array", items: text },
  },
  { in: "query", name: "single[]", schema: { anyOf: [text, { type: "array", items: text }] } },
  {
    in: "query",
    name: "filter",
    style: "deepObject",
    schema: { type: "object", required: ["from"], properties: { from: whole, to: whole } },
  },
  { in: "header", name: "X-Agent", required: true, schema: text },
  { in: "header", name: "X-Codes", schema: { type: "array", items: whole } },
  { in: "cookie", name: "session", schema: text },
];

it("the imported package accepts exactly the parameters that are valid against the document's JSON Schema", () => {
  const responses = { 204: { description: "Done." } };
  const paths = Object.fromEntries(
    parameters.map((parameter, index) => {
      const { in: location, name }: { in?: string; name?: string } = parameter;
      const path = location === "path" ? `/things${index}/{${name}}` : `/things${index}`;
      return [path, { get: { operationId: `read${index}`, parameters: [parameter], responses } }];
    }),
  );
  const document = { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths };
  const { plain } = parameterAgreementOf(documentFile(document));
  expect(plain.differences).toEqual([]);
  expect(plain.values).toBeGreaterThan(10 * parameters.length);
  expect(plain.accepted).toBeGreaterThan(plain.values / 4);
  expect(plain.accepted).toBeLessThan((plain.values * 3) / 4);
});

it("the importer reports the unchecked limits of a number if the parameter may also be a text", () => {
  const schema = { oneOf: [whole, words] };
  const responses = { 204: { description: "Done." } };
  const parameter = { in: "query", name: "either", schema };
  const { losses } = imported({ "/a": { get: { parameters: [parameter], responses } } });
  expect(losses).toEqual([
    {
      operation: "GET /a",
      pointer: "/paths/~1a/get/parameters/0/schema",
      effect:
        "The limits of the numbers of either are not checked, because it may also be another text.",
      severity: "loosened",
    },
  ]);
});
