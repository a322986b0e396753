import type { JsonSchema, OpenApiDocument, Operation } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";

/** A field of a request or an answer. */
export interface Field {
  /** The path of names: `holder.afm`; `[]` stands for the items of a list. */
  readonly name: string;
  /** The JSON type with its format, if any: `string (date)`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly part: "request" | "answer";
}

/** Maximum depth of listed fields, because a recursive schema has no end. */
const MAX_DEPTH = 6;

/**
 * Lists the fields of all requests and successful answers of a document. A field that two endpoints have appears
 * twice.
 */
export function* fieldsOf(document: OpenApiDocument): Generator<Field> {
  const reader = createReader(document);
  for (const { operation } of operationsOf(document)) {
    for (const { name, required = false, schema } of operation.parameters ?? [])
      if (name !== "Idempotency-Key")
        yield { name, type: reader.typeOf(schema), isRequired: required, part: "request" };
    const body = operation.requestBody;
    for (const { schema } of Object.values(body?.content ?? {}))
      for (const { isRequired, ...field } of reader.within(schema, MAX_DEPTH))
        yield { ...field, isRequired: isRequired && body?.required === true, part: "request" };
    for (const schema of answerSchemas(operation))
      for (const field of reader.within(schema, MAX_DEPTH)) yield { ...field, part: "answer" };
  }
}

function answerSchemas({ responses }: Operation): readonly JsonSchema[] {
  return Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith("2") && "content" in response
      ? Object.values(response.content ?? {}).map(({ schema }) => schema)
      : [],
  );
}

type SchemaField = Omit<Field, "part">;

interface Reader {
  /** Lists the fields inside a schema up to a depth. Fields inside an optional field are optional. */
  within(schema: JsonSchema, depth: number): readonly SchemaField[];
  typeOf(schema: JsonSchema): string;
}

/**
 * Creates a reader for the schemas of one document. The reader reads a component only once for each depth, even if many
 * endpoints use the component.
 */
function createReader({ components }: OpenApiDocument): Reader {
  const known = new Map<string, readonly SchemaField[]>();
  const resolved = (schema: JsonSchema): JsonSchema =>
    components.schemas[schema.$ref?.replace("#/components/schemas/", "") ?? ""] ?? schema;
  const alternativesOf = ({ anyOf = [], oneOf }: JsonSchema): readonly JsonSchema[] => [
    ...anyOf,
    ...(Array.isArray(oneOf) ? oneOf : []),
  ];
  const read = (schema: JsonSchema, depth: number): readonly SchemaField[] => {
    if (depth === 0) return [];
    const { items, properties = {}, required = [] } = schema;
    return [
      ...(items === undefined ? [] : below("[]", reader.within(items, depth - 1), true)),
      ...alternativesOf(schema).flatMap((one) => below("", reader.within(one, depth - 1), false)),
      ...Object.entries(properties).flatMap(([name, property]) => {
        const isRequired = required.includes(name);
        return [
          { name, type: reader.typeOf(property), isRequired },
          ...below(name, reader.within(property, depth - 1), isRequired),
        ];
      }),
    ];
  };
  const reader: Reader = {
    within(schema, depth) {
      if (schema.$ref === undefined) return read(schema, depth);
      const key = `${depth} ${schema.$ref}`;
      const fields = known.get(key) ?? read(resolved(schema), depth);
      known.set(key, fields);
      return fields;
    },
    typeOf(schema) {
      const target = resolved(schema);
      const { format, type } = target;
      const names =
        type === undefined
          ? alternativesOf(target).map((one) => reader.typeOf(one))
          : [type].flat();
      const text = [...new Set(names.filter((name) => name !== "null"))].join(" or ") || "any";
      return format === undefined ? text : `${text} (${format})`;
    },
  };
  return reader;
}

function below(
  path: string,
  fields: readonly SchemaField[],
  isRequired: boolean,
): readonly SchemaField[] {
  return fields.map((field) => ({
    ...field,
    name: joined(path, field.name),
    isRequired: isRequired && field.isRequired,
  }));
}

function joined(path: string, name: string): string {
  return path === "" || name.startsWith("[]") ? path + name : `${path}.${name}`;
}
