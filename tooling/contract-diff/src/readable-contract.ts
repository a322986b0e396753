import type { Contract } from "./contract.ts";
import { segment } from "./finding.ts";
import { listOf, type Node, nodeOf } from "./json.ts";
import { UnreadableContract } from "./side.ts";

/** The names of nested parts of a document, beginning with the outermost part. */
type Path = readonly string[];

/**
 * Refuses parts of a contract in which the comparison would miss a change: references in place of parts of operations,
 * components other than schemas, and parameters that a path declares for all its operations.
 * @throws UnreadableContract that names the JSON Pointer
 */
export function requireReadable({ components, paths }: Contract): void {
  for (const name of Object.keys(nodeOf(components)))
    if (name !== "schemas" && !name.startsWith("x-"))
      throw new UnreadableContract(
        `Only the schemas among the components are compared: ${pointerOf(["components", name])} is not supported.`,
      );
  for (const [path, item] of Object.entries(paths)) {
    requireInline(nodeOf(item), ["paths", path]);
    if ("parameters" in item)
      throw new UnreadableContract(
        `Only the parameters of operations are compared: ${pointerOf(["paths", path, "parameters"])} is not supported.`,
      );
    for (const [method, operation] of Object.entries(nodeOf(item)))
      requireInlineParts(nodeOf(operation), ["paths", path, method]);
  }
}

function requireInlineParts({ parameters, requestBody, responses }: Node, at: Path): void {
  for (const [index, parameter] of listOf(parameters).entries())
    requireInline(nodeOf(parameter), [...at, "parameters", String(index)]);
  requireInline(nodeOf(requestBody), [...at, "requestBody"]);
  for (const [status, response] of Object.entries(nodeOf(responses))) {
    requireInline(nodeOf(response), [...at, "responses", status]);
    for (const [name, header] of Object.entries(nodeOf(nodeOf(response).headers)))
      requireInline(nodeOf(header), [...at, "responses", status, "headers", name]);
  }
}

function requireInline({ $ref }: Node, at: Path): void {
  if (typeof $ref === "string")
    throw new UnreadableContract(
      `Only references to schemas are followed: ${pointerOf([...at, "$ref"])} is ${$ref}.`,
    );
}

function pointerOf(path: Path): string {
  return path.map(segment).join("");
}
