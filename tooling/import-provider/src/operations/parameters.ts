import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  type Located,
  listOf,
  membersOf,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { Definition, Field, SchemaNode } from "../schemas/model.ts";
import type { Place, SchemaReader } from "../schemas/read-schema.ts";
import { declareParameter, type Parameter, type Part, parameterIn } from "./declare-parameter.ts";
import type { ImportedCall, QueryStyle } from "./model.ts";
import type { SettingOption } from "./options.ts";
import type { OperationSecurity } from "./security.ts";

/** The parameters of an operation by their part of the endpoint. */
export interface ReadParameters {
  readonly definitions: Partial<Readonly<Record<Part, Definition>>>;
  readonly examples: Readonly<Record<Part, JsonObject>>;
  readonly call: Omit<ImportedCall, "path">;
  /** The public names of path parameters by their names in the document. */
  readonly pathNames: ReadonlyMap<string, string>;
}

/** Returns the parameters of an operation: the parameters of the path, replaced or extended by the operation's own. */
export function parametersOf(
  document: ImportDocument,
  pathItem: Located,
  operation: Located,
): readonly Located[] {
  const found = new Map<string, Located>();
  for (const { pointer, value } of [pathItem, operation])
    for (const [index, parameter] of listOf(value.parameters).entries()) {
      const located = document.follow(parameter, appendToPointer(pointer, "parameters", index));
      const { in: location, name } = located.value;
      // Header names ignore case (RFC 9110, section 5.1).
      const key = location === "header" ? String(name).toLowerCase() : String(name);
      found.set(`${String(location)} ${key}`, located);
    }
  return [...found.values()];
}

/**
 * Reads the parameters of an operation. Parameters that the operator configures become settings.
 * @throws ImportFault for a required parameter that cannot be declared
 */
export function readParameters(
  reader: SchemaReader,
  parameters: readonly Located[],
  settings: readonly SettingOption[],
  security: OperationSecurity,
  place: Place,
): ReadParameters {
  const fields: Record<Part, Field[]> = { params: [], query: [], headers: [] };
  const examples: Record<Part, Record<string, unknown>> = { params: {}, query: {}, headers: {} };
  const query: Record<string, { name?: string; style?: QueryStyle }> = {};
  const cookies: Record<string, string> = {};
  const fromSettings = {
    path: new Map<string, string>(),
    query: new Map<string, string>(),
    headers: new Map<string, string>(),
  };
  const keys = (location: string): ReadonlyMap<string, string> =>
    new Map(
      security.settings
        .filter((one) => one.in === location)
        .map(({ name, parameter }) => [parameter, name]),
    );
  const pathNames = new Map<string, string>();

  for (const located of withFields(reader.document, parameters, settings)) {
    const parameter = parameterIn(located);
    if (isCredential(parameter, security)) continue;
    const setting = settings.find(
      (one) => one.in === parameter.in && one.parameter === parameter.name,
    );
    if (setting !== undefined) {
      const part =
        parameter.in === "header" ? "headers" : parameter.in === "path" ? "path" : "query";
      fromSettings[part].set(parameter.name, setting.name);
      continue;
    }
    const declared = declareParameter(reader, parameter, place);
    if (declared === null) continue;
    const { field, part, style } = declared;
    if (fields[part].some(({ name }) => name === field.name))
      throw new ImportFault(
        `has the public name ${field.name} of another parameter`,
        located.pointer,
      );
    fields[part].push(field);
    const [example] = examplesOf(reader.document, located);
    if (example !== undefined) examples[part][field.name] = example;
    const isRenamed = parameter.in === "query" && parameter.name !== field.name;
    if (style !== undefined || isRenamed)
      query[field.name] = {
        ...(isRenamed ? { name: parameter.name } : {}),
        ...(style === undefined ? {} : { style }),
      };
    if (parameter.in === "cookie") cookies[field.name] = parameter.name;
    if (parameter.in === "path") pathNames.set(parameter.name, field.name);
  }
  const definition = (part: Part): Partial<Record<Part, Definition>> =>
    fields[part].length === 0 ? {} : { [part]: defined(reader, part, fields[part], place) };
  return {
    definitions: { ...definition("params"), ...definition("query"), ...definition("headers") },
    examples,
    call: {
      query,
      cookies,
      settings: {
        path: Object.fromEntries(fromSettings.path),
        query: Object.fromEntries([...fromSettings.query, ...keys("query")]),
        headers: Object.fromEntries(fromSettings.headers),
        cookies: Object.fromEntries(keys("cookie")),
      },
    },
    pathNames,
  };
}

/**
 * Replaces each optional object of the query by the object's fields, because a query cannot contain an empty object.
 * Each field is a separate parameter in the URL: `page=1`, or `filter[state]=OPEN` (OpenAPI, Style Examples).
 */
function withFields(
  document: ImportDocument,
  parameters: readonly Located[],
  settings: readonly SettingOption[],
): readonly Located[] {
  const names = parameters.map(({ value }) => value.name);
  return parameters.flatMap((located) => {
    const isSetting = settings.some(({ parameter }) => parameter === located.value.name);
    const fields = isSetting ? [] : fieldsOf(document, located);
    return fields.length === 0 || fields.some(({ value }) => names.includes(value.name))
      ? [located]
      : fields;
  });
}

function fieldsOf(document: ImportDocument, { pointer, value }: Located): readonly Located[] {
  const { explode, in: location, name, schema, style = "form" } = value;
  const isDeep = style === "deepObject";
  if (location !== "query" || !isObject(schema)) return [];
  if (!isDeep && (style !== "form" || explode === false)) return [];
  const object = document.follow(schema, appendToPointer(pointer, "schema"));
  const { additionalProperties, allOf, anyOf, oneOf, properties, required } = object.value;
  const isPlain = [additionalProperties, allOf, anyOf, oneOf].every((one) => one === undefined);
  if (!isPlain || listOf(required).length > 0) return [];
  return membersOf(properties).map(([field, inner]) => ({
    pointer: appendToPointer(object.pointer, "properties", field),
    value: {
      in: "query",
      name: isDeep ? `${String(name)}[${field}]` : field,
      schema: inner,
      description: isObject(inner) ? inner.description : undefined,
    },
  }));
}

/**
 * Reports whether the operator's credentials set a parameter. Many documents declare an API key also as a parameter.
 */
function isCredential(
  { in: location, name }: Parameter,
  { headers, settings }: OperationSecurity,
): boolean {
  return (
    (location === "header" && headers.includes(name.toLowerCase())) ||
    settings.some((one) => one.in === location && one.parameter === name)
  );
}

function defined(
  reader: SchemaReader,
  part: Part,
  fields: readonly Field[],
  place: Place,
): Definition {
  const node: SchemaNode = { type: "object", fields, others: "closed", needsOneOf: [] };
  return reader.name(node, { ...place, title: `${place.title} ${part}` }, "");
}

/** Returns the examples of a parameter, a body or an answer in order. */
export function examplesOf(
  document: ImportDocument,
  { pointer, value }: Located,
): readonly unknown[] {
  const { example, examples, schema } = value;
  const named = membersOf(examples).flatMap(([name, one]) => {
    const found = isObject(one)
      ? document.follow(one, appendToPointer(pointer, "examples", name)).value
      : {};
    return found.value === undefined ? [] : [found.value];
  });
  const ofSchema = isObject(schema) ? [schema.example, ...listOf(schema.examples)] : [];
  return [example, ...named, ...ofSchema].filter((one) => one !== undefined);
}
