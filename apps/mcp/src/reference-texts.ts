import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageParameterInWords, valueAt } from "@insurance-gateway/core/contract";

/** What an endpoint's reference says of it. */
export interface ReferenceText {
  readonly summary: string | null;
  /** More of it; null when there is nothing that the summary and the kind do not say. */
  readonly description: string | null;
  /** Of the fields of its input, by place: `/body/holder/afm`, `/query/clientAfm`; an item of a list is `/-`. */
  readonly fields: ReadonlyMap<string, string>;
}

/** The texts of a provider's endpoints, by the endpoint's name. */
export type ReferenceTexts = ReadonlyMap<string, ReferenceText>;

/** So deep a field is described; a schema may contain itself. */
const DEEPEST = 8;

/**
 * Reads what people have written of a provider's endpoints from the OpenAPI document that its package was built with:
 * declarations carry no texts at run time. Without a document that can be read there are none.
 * @param folder - the package's
 */
export function readReferenceTexts(folder: string | null): ReferenceTexts {
  if (folder === null) return new Map();
  try {
    const file = join(folder, "dist", "reference", "openapi.json");
    return textsIn(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // The tools are described by their declarations alone.
    return new Map();
  }
}

function textsIn(document: unknown): ReferenceTexts {
  return new Map(
    fieldsOf(valueAt(document, "/paths"))
      .flatMap(([, path]) => fieldsOf(path))
      .flatMap(([, operation]) => {
        const name = textOf(operation, "/operationId");
        return name === null ? [] : [[name, textIn(document, operation)] as const];
      }),
  );
}

function textIn(document: unknown, operation: unknown): ReferenceText {
  const summary = textOf(operation, "/summary");
  const paragraphs = (textOf(operation, "/description") ?? "")
    .split(/\n{2,}/)
    .filter((text) => text !== "")
    .filter((text) => text.replace(/\.$/, "") !== summary);
  const facts = {
    kind: textOf(operation, "/x-kind") ?? "",
    paging: valueAt(operation, "/x-paging"),
  };
  const parameters = fieldsOf(valueAt(operation, "/parameters")).flatMap(([, parameter]) => {
    const part = partsOfPlaces[textOf(parameter, "/in") ?? ""];
    const name = textOf(parameter, "/name") ?? "";
    const description = textOf(parameter, "/description") ?? pageParameterInWords(facts, name);
    const place = `/${part}/${name}`;
    return part === undefined || description === null ? [] : [[place, description] as const];
  });
  const media = valueAt(operation, "/requestBody/content");
  const [content] = fieldsOf(media).map(([, each]) => each);
  const body = valueAt(content, "/schema");
  return {
    summary,
    description: paragraphs.length === 0 ? null : paragraphs.join("\n"),
    fields: new Map([...parameters, ...descriptionsIn(document, body, "/body")]),
  };
}

/** Where a call's input has what OpenAPI has in a place. */
const partsOfPlaces: Readonly<Record<string, string>> = {
  path: "params",
  query: "query",
  header: "headers",
};

/** The descriptions in a schema, by place. */
function descriptionsIn(
  document: unknown,
  schema: unknown,
  place: string,
  depth = 0,
): readonly (readonly [string, string])[] {
  if (depth > DEEPEST) return [];
  const reference = textOf(schema, "/$ref");
  const whole = reference?.startsWith("#/") ? valueAt(document, reference.slice(1)) : schema;
  const description = textOf(schema, "/description") ?? textOf(whole, "/description");
  const inner = [
    ...fieldsOf(valueAt(whole, "/properties")),
    ["-", valueAt(whole, "/items")] as const,
  ];
  return [
    ...(description === null ? [] : [[place, description] as const]),
    ...inner
      .filter(([, part]) => part !== undefined)
      .flatMap(([name, part]) => descriptionsIn(document, part, `${place}/${name}`, depth + 1)),
  ];
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function textOf(value: unknown, pointer: string): string | null {
  const text = valueAt(value, pointer);
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
}
