import { fileURLToPath } from "node:url";
import {
  hasLimitingFormat,
  type JsonSchema,
  type OpenApiDocument,
} from "@insurance-gateway/reference";
import { describe, expect, it } from "vitest";
import { makeDocuments } from "../src/documents.ts";

const documents = await makeDocuments(fileURLToPath(new URL("../../../", import.meta.url)));

/** A schema of a document with its place. `isSent` is true if requests use the schema. */
interface Placed {
  readonly at: string;
  readonly schema: JsonSchema;
  readonly isSent: boolean;
}

const REFERENCE = "#/components/schemas/";

/** Returns all schemas of a document that have a `type`, each marked if requests refer to it. */
function schemasOf(document: OpenApiDocument): readonly Placed[] {
  const sent = new Set<string>();
  const collect = (node: unknown, isSent: boolean, at: string): readonly Placed[] => {
    if (typeof node !== "object" || node === null) return [];
    const schema: JsonSchema = { ...node };
    const { $ref, type } = schema;
    if (isSent && $ref?.startsWith(REFERENCE)) sent.add($ref.slice(REFERENCE.length));
    const own = type === undefined ? [] : [{ at, isSent, schema }];
    // Values of examples are data, not schemas.
    const inner = Object.entries(node).filter(([key]) => key !== "examples" && key !== "value");
    return [
      ...own,
      ...inner.flatMap(([key, value]) =>
        collect(value, isSent || key === "parameters" || key === "requestBody", `${at}/${key}`),
      ),
    ];
  };
  const { schemas, ...components } = document.components;
  const found = [...collect(document.paths, false, ""), ...collect(components, false, "")];
  // The loop also visits the names that `collect` adds to the set.
  for (const name of sent) found.push(...collect(schemas[name], true, `/${name}`));
  const answered = Object.entries(schemas).filter(([name]) => !sent.has(name));
  return [...found, ...answered.flatMap(([name, schema]) => collect(schema, false, `/${name}`))];
}

describe.each(documents)("$file for client generators", ({ document }) => {
  const schemas = schemasOf(document);
  const placesOf = (isWrong: (placed: Placed) => boolean): readonly string[] =>
    schemas.filter(isWrong).map(({ at }) => at);

  it("a string has no pattern and no length limit in an OpenAPI document if the string's format already limits the text", () => {
    const limits = ["pattern", "maxLength", "minLength"];
    expect(
      placesOf(
        ({ schema }) => hasLimitingFormat(schema) && limits.some((limit) => limit in schema),
      ),
    ).toEqual([]);
    expect(placesOf(({ schema }) => schema.type === "string").length).toBeGreaterThan(10);
  });

  it("only schemas of requests have closed lists of values in an OpenAPI document", () => {
    expect(placesOf(({ isSent, schema }) => !isSent && "enum" in schema)).toEqual([]);
    expect(document.components.schemas.Problem?.properties?.code).toHaveProperty(
      "x-extensible-enum",
    );
  });
});
