import type {
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
} from "@insurance-gateway/reference";
import type { Resolve } from "./samples.ts";

/** Returns a function that finds the schema of a reference in the document. */
export function resolverOf({ components }: Pick<OpenApiDocument, "components">): Resolve {
  return (reference) => {
    const schema = components.schemas[reference.replace("#/components/schemas/", "")];
    if (schema === undefined) throw new TypeError(`${reference} leads nowhere`);
    return schema;
  };
}

/** Returns the operation's parameters in a place (query, path) as the schema of one object. */
export function parametersOf(
  { parameters = [] }: Pick<Operation, "parameters">,
  place: string,
): JsonSchema {
  const listed = parameters.filter((parameter) => parameter.in === place);
  return {
    type: "object",
    properties: Object.fromEntries(listed.map((parameter) => [parameter.name, parameter.schema])),
    required: listed.filter(({ required }) => required).map((parameter) => parameter.name),
    additionalProperties: false,
  };
}

/**
 * Reports whether a fault violates a rule across fields. JSON Schema cannot express such a rule, so `x-rules` describes
 * it.
 */
export function isRule(
  root: JsonSchema,
  resolve: Resolve,
  pointer: string,
  message: string,
): boolean {
  let node = root;
  for (const part of pointer.split("/").slice(1)) {
    const object = node.$ref === undefined ? node : resolve(node.$ref);
    const rules = Array.isArray(object["x-rules"]) ? object["x-rules"] : [];
    if (rules.some((rule) => rule.path.join("/") === part && rule.message === message)) return true;
    node = object.properties?.[part] ?? object.items ?? {};
  }
  const own = Array.isArray(node["x-rules"]) ? node["x-rules"] : [];
  return own.some((rule) => rule.path.length === 0 && rule.message === message);
}

/** Returns the schema of the JSON body in a request or an answer. */
export function jsonOf(content: Readonly<Record<string, MediaType>> = {}): JsonSchema {
  return content["application/json"]?.schema ?? {};
}
