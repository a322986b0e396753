import { readFileSync } from "node:fs";
import { join } from "node:path";
import { valueAt } from "@insurance-gateway/core/contract";
import { pageParameterInWords } from "@insurance-gateway/core/runtime";

/** The texts about an endpoint in the reference documentation of the provider. */
export interface ReferenceText {
  readonly summary: string | null;
  /** The description after the summary; null if the reference contains only a summary. */
  readonly description: string | null;
  /**
   * Descriptions of input fields by JSON Pointer: `/body/holder/afm`, `/query/clientAfm`; `/-` is an item of a list.
   */
  readonly fields: ReadonlyMap<string, string>;
}

/** The texts of a provider's endpoints, by endpoint name. */
export type ReferenceTexts = ReadonlyMap<string, ReferenceText>;

/** Maximum depth of schemas that are read, because a schema may contain itself. */
const MAX_DEPTH = 8;

/**
 * Reads summaries and descriptions from the OpenAPI document in a provider's package, because declarations have no
 * texts at run time. Returns an empty map if the document cannot be read.
 * @param folder - the package's folder
 */
export function readReferenceTexts(folder: string | null): ReferenceTexts {
  if (folder === null) return new Map();
  try {
    const file = join(folder, "dist", "reference", "openapi.json");
    return textsIn(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Without these texts, only the declarations describe the tools.
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
    const part = partsOfInput[textOf(parameter, "/in") ?? ""];
    const name = textOf(parameter, "/name") ?? "";
    const description = textOf(parameter, "/description") ?? pageParameterInWords(facts, name);
    return part === undefined || description === null
      ? []
      : [[`/${part}/${name}`, description] as const];
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

/** The part of a tool's input for each `in` of an OpenAPI parameter. */
const partsOfInput: Readonly<Record<string, string>> = {
  path: "params",
  query: "query",
  header: "headers",
};

/** Returns the descriptions in a schema, by JSON Pointer. */
function descriptionsIn(
  document: unknown,
  schema: unknown,
  pointer: string,
  depth = 0,
): readonly (readonly [string, string])[] {
  if (depth > MAX_DEPTH) return [];
  const reference = textOf(schema, "/$ref");
  const whole = reference?.startsWith("#/") ? valueAt(document, reference.slice(1)) : schema;
  const description = textOf(schema, "/description") ?? textOf(whole, "/description");
  const inner = [
    ...fieldsOf(valueAt(whole, "/properties")),
    ["-", valueAt(whole, "/items")] as const,
  ];
  return [
    ...(description === null ? [] : [[pointer, description] as const]),
    ...inner
      .filter(([, part]) => part !== undefined)
      .flatMap(([name, part]) => descriptionsIn(document, part, `${pointer}/${name}`, depth + 1)),
  ];
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function textOf(value: unknown, pointer: string): string | null {
  const text = valueAt(value, pointer);
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
}
