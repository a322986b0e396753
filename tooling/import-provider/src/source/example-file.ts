import { isFilePart } from "@insurance-gateway/core/runtime";
import type { ImportedExample } from "../examples/example-of.ts";
import { kebabCase } from "../names/words.ts";
import type { ImportedEndpoint } from "../operations/model.ts";
import { exportedConstant, type Layout, literal, object, propertyName, scalar } from "./layout.ts";

/** Writes the file of an endpoint's example. */
export function exampleFile(
  endpoint: ImportedEndpoint,
  { request, response }: ImportedExample,
): string {
  const { name } = endpoint;
  const example = object(
    [
      [
        "usual",
        object(
          [
            ["summary", scalar(summaryOf(endpoint))],
            ["request", valueLayout(request)],
            response === undefined ? null : ["response", valueLayout(response)],
          ],
          true,
        ),
      ],
    ],
    true,
  );
  return [
    `import type { Examples } from "@insurance-gateway/core/contract";\n`,
    `import type { ${name} } from "../endpoints/${kebabCase(name)}.ts";\n\n`,
    exportedConstant(`${name}Examples`, "Examples", `typeof ${name}`, example),
  ].join("");
}

/** Returns the first sentence of the description. */
function summaryOf({ description, operation }: ImportedEndpoint): string {
  const [sentence = ""] = description.split(/(?<=[.!?])\s|\n/);
  const words = sentence
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 120);
  return words === "" ? operation : words;
}

/** Returns a value as TypeScript source; the bytes of a file become a list of numbers. */
function valueLayout(value: unknown): Layout {
  if (isFilePart(value) && value.content instanceof Uint8Array)
    return object([
      ["mediaType", scalar(value.mediaType)],
      ["content", `new Uint8Array([${[...value.content].join(", ")}])`],
    ]);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : arrayLayout(value);
  if (typeof value !== "object" || value === null) return literal(value);
  return object(
    Object.entries(value).map(([name, member]) => [propertyName(name), valueLayout(member)]),
    true,
  );
}

function arrayLayout(value: readonly unknown[]): Layout {
  return {
    open: "[",
    items: value.map(valueLayout),
    close: "]",
    separator: ",",
    trailing: true,
    hugsLast: false,
    broken: value.length > 1 && value.every((item) => Array.isArray(item) && item.length > 1),
    padding: "",
  };
}
