import { fileURLToPath } from "node:url";
import { isLimiting, type JsonSchema, type OpenApiDocument } from "@insurance-gateway/reference";
import { describe, expect, it } from "vitest";
import { makeDocuments } from "../src/documents.ts";

const documents = await makeDocuments(fileURLToPath(new URL("../../../", import.meta.url)));

/** A schema of a document, its place, and whether a request has it. */
interface Placed {
  readonly at: string;
  readonly schema: JsonSchema;
  readonly isSent: boolean;
}

const REFERENCE = "#/components/schemas/";

/** Everything in a document that has a `type`, and what of it requests refer to. */
function schemasOf(document: OpenApiDocument): readonly Placed[] {
  const sent = new Set<string>();
  const collect = (node: unknown, isSent: boolean, at: string): readonly Placed[] => {
    if (typeof node !== "object" || node === null) return [];
    const schema: JsonSchema = { ...node };
    const { $ref, type } = schema;
    if (isSent && $ref?.startsWith(REFERENCE)) sent.add($ref.slice(REFERENCE.length));
    const own = type === undefined ? [] : [{ at, isSent, schema }];
    // Values of examples are data.
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
  // A set gets what is added to it while it is read.
  for (const name of sent) found.push(...collect(schemas[name], true, `/${name}`));
  const answered = Object.entries(schemas).filter(([name]) => !sent.has(name));
  return [...found, ...answered.flatMap(([name, schema]) => collect(schema, false, `/${name}`))];
}

describe.each(documents)("$file for clients that others generate", ({ document }) => {
  const schemas = schemasOf(document);
  const placesOf = (isWrong: (placed: Placed) => boolean): readonly string[] =>
    schemas.filter(isWrong).map(({ at }) => at);

  it("has no pattern and no length beside a format that limits the text itself", () => {
    const limits = ["pattern", "maxLength", "minLength"];
    expect(
      placesOf(({ schema }) => isLimiting(schema) && limits.some((limit) => limit in schema)),
    ).toEqual([]);
    expect(placesOf(({ schema }) => schema.type === "string").length).toBeGreaterThan(10);
  });

  it("has closed lists of values only in requests", () => {
    expect(placesOf(({ isSent, schema }) => !isSent && "enum" in schema)).toEqual([]);
    expect(document.components.schemas.Problem?.properties?.code).toHaveProperty(
      "x-extensible-enum",
    );
  });
});
