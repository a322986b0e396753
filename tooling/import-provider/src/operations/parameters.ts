import { headerNameFault } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  type Located,
  listOf,
  membersOf,
  textOf,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { Definition, Field, SchemaNode } from "../schemas/model.ts";
import { fieldDescription } from "../schemas/read-object.ts";
import type { Place, SchemaReader } from "../schemas/read-schema.ts";
import type { ImportedCall, QueryStyle } from "./model.ts";
import type { SettingOption } from "./options.ts";
import type { OperationSecurity } from "./security.ts";
import { limitsAreLost, textFormOf } from "./texts.ts";

type Part = "params" | "query" | "headers";

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
    const declared = declare(reader, parameter, place);
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

interface Parameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly value: JsonObject;
  readonly pointer: string;
  readonly required: boolean;
}

function parameterIn({ pointer, value }: Located): Parameter {
  const { in: location, name, required } = value;
  const isPlace =
    location === "path" || location === "query" || location === "header" || location === "cookie";
  if (typeof name !== "string" || name === "" || !isPlace)
    throw new ImportFault(
      "is not a parameter: it needs a name, and in: path, query, header or cookie",
      pointer,
    );
  return { in: location, name, value, pointer, required: location === "path" || required === true };
}

interface Declared {
  readonly part: Part;
  readonly field: Field;
  readonly style?: QueryStyle;
}

/**
 * Returns a parameter as a field of the request part that contains the parameter; for a parameter that cannot be
 * declared, reports the loss and returns null.
 */
function declare(reader: SchemaReader, parameter: Parameter, place: Place): Declared | null {
  const { pointer, required, value } = parameter;
  const name = publicName(parameter);
  const leaveOut = (why: string): null => {
    if (required) throw new ImportFault(`cannot be declared: it ${why}`, pointer);
    const effect = `The parameter ${parameter.name} is left out: it ${why}.`;
    reader.report.add({ operation: place.operation, pointer, effect, severity: "lost" });
    return null;
  };
  if (name === null) return leaveOut("has a name that cannot be sent");
  if (parameter.in === "header") {
    // OpenAPI ignores header parameters with these three names, because other members of an operation describe these
    // headers.
    if (["accept", "content-type", "authorization"].includes(name)) return null;
    const fault = headerNameFault(name);
    if (fault !== null) return leaveOut(fault);
  }
  const [content] = membersOf(value.content);
  const schema = isObject(content?.[1]) ? content[1].schema : value.schema;
  const at =
    content === undefined
      ? appendToPointer(pointer, "schema")
      : appendToPointer(pointer, "content", content[0], "schema");
  const read = reader.read(schema ?? { type: "string" }, {
    ...place,
    pointer: at,
    title: `${place.title} ${parameter.name}`,
    side: "request",
  });
  const written = textFormOf(read, parameter, content?.[0]);
  if (typeof written === "string") return leaveOut(written);
  if (value.allowReserved === true)
    reader.report.add({
      operation: place.operation,
      pointer,
      effect: `Reserved characters of ${parameter.name} are percent-encoded.`,
      severity: "loosened",
    });
  if (limitsAreLost(read))
    reader.report.add({
      operation: place.operation,
      pointer: at,
      effect: `The limits of the numbers of ${parameter.name} are not checked, because it may also be another text.`,
      severity: "loosened",
    });
  return {
    part: parameter.in === "path" ? "params" : parameter.in === "query" ? "query" : "headers",
    field: {
      name,
      schema: written.node,
      required,
      description: fieldDescription(
        reader.document,
        {
          // The type of a parameter has no doc comment, so the parameter gets the texts of the schema.
          ...(isObject(schema) ? { ...reader.document.follow(schema, at).value, ...schema } : {}),
          ...described(value),
        },
        pointer,
      ),
    },
    ...(written.style === undefined ? {} : { style: written.style }),
  };
}

/** Returns the description and deprecation of a parameter, which the parameter's schema may lack. */
function described({ deprecated, description }: JsonObject): JsonObject {
  const text = textOf(description);
  return {
    ...(text === undefined ? {} : { description: text }),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

/** Returns the public name of a parameter; null for a name that cannot be sent. */
function publicName({ in: location, name }: Parameter): string | null {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^[^A-Za-z]+/g, "");
  if (location === "path") return plain === "" ? null : plain;
  if (location === "header") return name.toLowerCase();
  if (location === "cookie") return plain === "" ? null : `cookie-${plain.toLowerCase()}`;
  if (/^[^[\]&=#+\s]+(\[\])?$/.test(name)) return name === "__proto__" ? null : name;
  // The public name of `page[number]` is `page-number`.
  return /^[A-Za-z][\w.-]*(\[[\w.-]+\])+$/.test(name) ? plain.replace(/-$/, "") : null;
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
