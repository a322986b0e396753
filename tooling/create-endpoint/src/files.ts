import { kindPolicies } from "@insurance-gateway/core/runtime";
import type { Files } from "@insurance-gateway/lists";
import type { MatchedExchange } from "./exchange.ts";
import { type Operation, pascalCase } from "./operation.ts";
import { type Shape, shapeOf } from "./shape.ts";
import { syntheticValue } from "./synthetic.ts";
import { constantOf, type Declarations, type Direction, declareType } from "./types.ts";

/** A part of the declaration: a part of the request, or the answer. */
interface DeclaredPart {
  readonly name: "params" | "query" | "body" | "response";
  readonly typeName: string;
  readonly shape: Shape;
  /** An example of the part. */
  readonly example: unknown;
}

/** Matches query parameters that contain a secret, which a declaration must not contain. */
const SECRET_NAME = /key|token|secret|passw|signature|session|auth/i;

/**
 * Writes the schema, the declaration, the example and the sandbox handler of an endpoint. The text is not formatted.
 * @param exchanges - the recorded exchanges of the endpoint; without any, the endpoint starts with a generated example
 * @returns the files by their path in the provider's package
 */
export function filesOf(operation: Operation, exchanges: readonly MatchedExchange[]): Files {
  const isRecorded = exchanges.length > 0;
  const all = isRecorded ? exchanges : [usualExchange(operation)];
  const status = all.find(({ answer }) => answer !== undefined)?.answer?.status ?? 200;
  const parts = partsOf(operation, all, isRecorded && operation.kind !== "lookup");
  const { stem } = operation;
  return new Map([
    ...(parts.length === 0
      ? []
      : [[`src/schemas/${stem}.ts`, schemaFile(operation, parts)] satisfies [string, string]]),
    [`src/endpoints/${stem}.ts`, endpointFile(operation, parts, status)],
    [`src/examples/${stem}.ts`, exampleFile(operation, parts, isRecorded)],
    [`src/sandbox/handlers/${stem}.ts`, handlerFile(operation, parts, status)],
  ]);
}

/** Returns the first example of an endpoint without a recording. */
function usualExchange({ kind, method, params, path }: Operation): MatchedExchange {
  const item = { code: "A1", name: "Example" };
  const hasBody = method !== "GET" && method !== "DELETE";
  return {
    method,
    url: path,
    query: [],
    params: Object.fromEntries(params.map((name) => [name, "A1"])),
    body: hasBody ? { name: "Example" } : undefined,
    answer: { status: 200, body: kind === "lookup" ? { items: [item] } : { id: "A1" } },
  };
}

function partsOf(
  { params, typeName }: Operation,
  exchanges: readonly MatchedExchange[],
  isScrubbed: boolean,
): readonly DeclaredPart[] {
  const queries = exchanges.map(({ query }) =>
    Object.fromEntries(query.filter(([name]) => !SECRET_NAME.test(name))),
  );
  const given: Readonly<
    Record<DeclaredPart["name"], readonly [type: string, values: readonly unknown[]]>
  > = {
    params: ["Params", params.length > 0 ? exchanges.map((each) => each.params) : []],
    query: ["Query", queries.some((query) => Object.keys(query).length > 0) ? queries : []],
    body: ["Request", present(exchanges.map(({ body }) => body))],
    response: ["Response", present(exchanges.map(({ answer }) => answer?.body))],
  };
  return (["params", "query", "body", "response"] as const).flatMap((name) => {
    const [suffix, values] = given[name];
    if (values.length === 0) return [];
    const example = isScrubbed ? syntheticValue(values[0]) : values[0];
    return [{ name, typeName: typeName + suffix, shape: shapeOf(values), example }];
  });
}

function present(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => value !== undefined);
}

function schemaFile({ method, path }: Operation, parts: readonly DeclaredPart[]): string {
  const declarations: Declarations = { blocks: [], imports: new Set() };
  for (const { name, shape, typeName } of parts) {
    const direction: Direction = name === "response" ? "answer" : "request";
    const what = name === "response" ? "The answer" : `The ${name}`;
    declareType(declarations, shape, {
      name: typeName,
      comment: `${what} of \`${method} ${path}\`.`,
      direction,
      ...(name === "params" || name === "query" ? { isParameter: true } : {}),
    });
  }
  const blocks = declarations.blocks.join("\n");
  const zod = /\bz\./.test(blocks) ? `import * as z from "zod/mini";\n` : "";
  const names = [...declarations.imports].toSorted().join(", ");
  return `import type { Schema } from "@insurance-gateway/core/contract";
import { ${names} } from "@insurance-gateway/core/schema";
${zod}
${blocks}`;
}

function endpointFile(
  operation: Operation,
  parts: readonly DeclaredPart[],
  status: number,
): string {
  const { kind, method, name, path, provider, stem } = operation;
  const type = pascalCase(kind);
  const requested = parts.filter((part) => part.name !== "response");
  const response = parts.find((part) => part.name === "response");
  const types = [
    ...requested.map((part) => `${part.name}: ${part.typeName}`),
    `response: ${response?.typeName ?? `ByStatus<{ ${status}: undefined }>`}`,
  ];
  const fields = [
    `provider: "${provider}"`,
    ...(method === kindPolicies[kind].methods[0] ? [] : [`method: "${method}"`]),
    `path: "${path}"`,
    ...requested.map((part) => `${part.name}: ${constantOf(part.typeName)}`),
    // `none` means that the insurer promises nothing; docs/adding-an-endpoint.md lists the other values.
    ...(kind === "submission" ? [`idempotency: "none"`] : []),
    `response: { ${status}: ${response === undefined ? "none" : constantOf(response.typeName)} }`,
  ];
  const empty = response === undefined ? "type ByStatus, none, " : "";
  const imported = parts.flatMap(({ typeName }) => [`type ${typeName}`, constantOf(typeName)]);
  const schemas =
    imported.length === 0
      ? ""
      : `import { ${imported.join(", ")} } from "../schemas/${stem}.ts";\n`;
  return `import { ${empty}type ${type}, ${kind} } from "@insurance-gateway/core/contract";
${schemas}
/** ${summaryOf(operation)}. */
export const ${name}: ${type}<{ ${types.join("; ")} }> = ${kind}({
${fields.map((field) => `  ${field},`).join("\n")}
});
`;
}

/** Returns a sentence for a file name: `list-auto-models` → `Lists auto models`. */
function summaryOf({ stem }: Operation): string {
  const [verb = "", ...words] = stem.split("-");
  return `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}s ${words.join(" ")}`;
}

function exampleFile(
  { name, stem }: Operation,
  parts: readonly DeclaredPart[],
  isRecorded: boolean,
): string {
  const request = parts
    .filter((part) => part.name !== "response")
    .map((part) => [part.name, part.example]);
  const response = parts.find((part) => part.name === "response");
  const summary = isRecorded ? "As recorded" : "A usual call";
  return `import type { Examples } from "@insurance-gateway/core/contract";
import type { ${name} } from "../endpoints/${stem}.ts";

export const ${name}Examples: Examples<typeof ${name}> = {
  ${isRecorded ? "recorded" : "usual"}: {
    summary: "${summary}",
    request: ${JSON.stringify(Object.fromEntries(request))},
    ${response === undefined ? "" : `response: ${JSON.stringify(response.example)},`}
  },
};
`;
}

function handlerFile(
  { name, stem }: Operation,
  parts: readonly DeclaredPart[],
  status: number,
): string {
  const response = parts.find((part) => part.name === "response");
  const type = response?.typeName ?? "undefined";
  const schemas =
    response === undefined ? "" : `import type { ${type} } from "../../schemas/${stem}.ts";\n\n`;
  return `${schemas}/** Answers every call alike. */
export const ${name}Handler = (): { readonly status: ${status}; readonly body: ${type} } => ({
  status: ${status},
  body: ${response === undefined ? "undefined" : JSON.stringify(response.example)},
});
`;
}
