import { bodyFormatOf, isJson, isMediaType } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  isObject,
  type JsonObject,
  type Located,
  membersOf,
} from "../document/references.ts";
import { ImportFault, type LossReport } from "../report.ts";
import type { Field, SchemaNode } from "../schemas/model.ts";
import { fieldDescription } from "../schemas/read-object.ts";
import { objectIn, type Place, type SchemaReader } from "../schemas/read-schema.ts";
import type { ImportedEndpoint, ImportedMedia } from "./model.ts";
import { examplesOf } from "./parameters.ts";

/** A media type of a body or an answer in the document. */
export interface PublishedMedia {
  /** The type in lower case, without parameters. */
  readonly type: string;
  /** The parameters after the type, such as `version=2`; "" if there are none, or if the only parameter is UTF-8. */
  readonly parameters: string;
  readonly located: Located;
}

/** Returns the media types of a `content` without duplicates. */
export function mediaOf({ pointer, value }: Located): readonly PublishedMedia[] {
  const found = new Map<string, PublishedMedia>();
  for (const [name, media] of membersOf(value.content)) {
    const [written = "", ...rest] = name.split(";");
    const type = written.trim().toLowerCase();
    const parameters = parametersIn(rest);
    const located = {
      value: isObject(media) ? media : {},
      pointer: appendToPointer(pointer, "content", name),
    };
    // Most documents that use a wildcard mean JSON.
    const known = type === "*/*" || type === "application/*" ? "application/json" : type;
    if (isMediaType(known) && !found.has(known))
      found.set(known, { type: known, parameters, located });
  }
  return [...found.values()];
}

/** Reports media types that the package sends or accepts differently from the document. */
export function reportParameters(
  { pointer, value }: Located,
  media: readonly PublishedMedia[],
  { operation, report }: { readonly operation: string; readonly report: LossReport },
): void {
  const isPlain = media.some(({ parameters }) => parameters === "");
  for (const { located, parameters, type } of media)
    if (parameters !== "")
      report.add({
        operation,
        pointer: located.pointer,
        effect: `The media type is ${type}, without ${parameters}.`,
        severity: isPlain ? "loosened" : "lost",
      });
  const kept = new Set(media.map(({ located }) => located.pointer));
  for (const [name] of membersOf(value.content)) {
    const at = appendToPointer(pointer, "content", name);
    // A wildcard such as `*/*` has no effect if another media type is declared.
    if (kept.has(at) || (name.includes("*") && media.length > 0)) continue;
    const [type = "", ...parameters] = name.split(";");
    if (parametersIn(parameters) === "" && !name.includes("*")) continue;
    const effect = name.includes("*")
      ? `The media type ${name} is left out: it is only a wildcard.`
      : `The media type ${name} is left out: ${type.trim()} is declared once.`;
    report.add({ operation, pointer: at, effect, severity: isPlain ? "loosened" : "lost" });
  }
}

/** Joins the parameters of a media type; returns "" if there are none, or if the only parameter is UTF-8. */
function parametersIn(parameters: readonly string[]): string {
  return parameters
    .map((one) => one.trim())
    .filter((one) => !/^(charset="?utf-8"?)?$/i.test(one))
    .join("; ");
}

/**
 * Reads the body of a request: the first media type that can be declared, and all further media types with the same
 * schema.
 * @throws ImportFault if no media type of a required body can be declared
 */
export function readBody(
  reader: SchemaReader,
  body: Located,
  place: Place,
): Pick<ImportedEndpoint, "body"> & { readonly examples: readonly unknown[] } {
  const required = body.value.required === true;
  const media = mediaOf(body);
  reportParameters(body, media, { operation: place.operation, report: reader.report });
  const sorted = [
    ...media.filter(({ type }) => isJson(type)),
    ...media.filter(({ type }) => !isJson(type)),
  ];
  const declared: ImportedMedia[] = [];
  for (const { located, type } of sorted) {
    const node = bodyNode(reader, type, located, place);
    const definition = typeof node === "string" ? null : named(reader, node, located, place);
    const [first] = declared;
    if (definition !== null && (first === undefined || first.definition === definition))
      declared.push({ mediaType: type, definition });
    else
      reader.report.add({
        operation: place.operation,
        pointer: located.pointer,
        effect: `The body cannot be sent as ${type}${typeof node === "string" ? `: it ${node}` : ""}.`,
        severity: declared.length > 0 ? "loosened" : "lost",
      });
  }
  for (const { definition, mediaType } of declared) {
    const { located } = media.find(({ type }) => type === mediaType) ?? {};
    if (located !== undefined) reportEncoding(reader, located, definition.node, place);
  }
  if (declared.length > 0)
    return {
      body: { required, media: declared },
      examples: sorted.slice(0, 1).flatMap(({ located }) => examplesOf(reader.document, located)),
    };
  if (!required || membersOf(body.value.content).length === 0) return { examples: [] };
  throw new ImportFault("has no media type that can be sent", body.pointer);
}

function named(
  reader: SchemaReader,
  node: SchemaNode,
  { pointer, value }: Located,
  place: Place,
): ImportedMedia["definition"] {
  if (node.type === "named") return node.definition;
  const description = fieldDescription(
    reader.document,
    value.schema,
    appendToPointer(pointer, "schema"),
  );
  return reader.name(node, { ...place, title: `${place.title} body` }, description);
}

/** Returns the schema of a body. If the body cannot be declared, returns the reason as the end of a sentence. */
function bodyNode(
  reader: SchemaReader,
  type: string,
  { pointer, value }: Located,
  place: Place,
): SchemaNode | string {
  const format = bodyFormatOf(type);
  if (format === "bytes")
    return /[/+]xml$/.test(type) ? "is XML" : { type: "file", mediaTypes: [type] };
  if (format === "text") return { type: "string" };
  const isForm = format === "form" || format === "multipart";
  const node = reader.read(value.schema ?? {}, {
    ...place,
    side: "request",
    pointer: appendToPointer(pointer, "schema"),
    title: `${place.title} body`,
    ...(format === "multipart" ? { files: "parts" as const } : {}),
  });
  if (!isForm) return node;
  const object = objectIn(node);
  if (object === undefined || node.type !== "named") return "is a form without declared fields";
  for (const { name, required, schema } of object.fields)
    if (required && schema.type === "nullable")
      reader.loosen(
        { ...place, pointer: appendToPointer(pointer, "schema", "properties", name) },
        "A form cannot have null: the field needs a value.",
      );
  node.definition.node = {
    ...object,
    fields: object.fields.map((field) => asFormField(field, value.encoding)),
  };
  return node;
}

/** The default media types of an object, a text and a file in a form (OpenAPI, Encoding Object). */
const USUAL_TYPES = ["application/json", "text/plain", "application/octet-stream"];

/** Reports fields of a form whose encoding differs from OpenAPI's default (Encoding Object). */
function reportEncoding(
  reader: SchemaReader,
  { pointer, value }: Located,
  form: SchemaNode,
  place: Place,
): void {
  for (const [field, encoding] of membersOf(value.encoding)) {
    const { contentType, explode, headers, style } = objectOf(encoding);
    const other = [
      contentType === undefined ||
      USUAL_TYPES.includes(String(contentType)) ||
      isFileField(form, field)
        ? []
        : [`as ${String(contentType)}`],
      style === undefined || style === "form" ? [] : [`in the style ${String(style)}`],
      explode === false ? ["in one text"] : [],
      membersOf(headers).length === 0 ? [] : ["with headers"],
    ].flat();
    if (other.length === 0) continue;
    reader.report.add({
      operation: place.operation,
      pointer: appendToPointer(pointer, "encoding", field),
      effect: `The field ${field} is sent in OpenAPI's default way instead of ${other.join(", ")}.`,
      severity: "lost",
    });
  }
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * Returns a file schema that accepts the media types that the document lists for the field, such as `image/jpeg,
 * image/png`.
 */
function withFileTypes(node: SchemaNode, contentType: unknown): SchemaNode {
  const types = String(contentType ?? "").split(",");
  const [first = "", ...others] = types.map((type) => type.trim().toLowerCase());
  if (node.type === "list") return { ...node, item: withFileTypes(node.item, contentType) };
  const isListed = [first, ...others].every(
    (type) => isMediaType(type) && !USUAL_TYPES.includes(type),
  );
  return node.type === "file" && isListed ? { ...node, mediaTypes: [first, ...others] } : node;
}

function isFileField(object: SchemaNode | undefined, name: string): boolean {
  const field =
    object?.type === "object" ? object.fields.find((one) => one.name === name) : undefined;
  const item = field?.schema.type === "list" ? field.schema.item : field?.schema;
  return item?.type === "file";
}

/** Adapts a field for a form, which cannot contain null or an empty list. */
function asFormField(field: Field, encoding: unknown): Field {
  const plain = field.schema.type === "nullable" ? field.schema.inner : field.schema;
  const schema = withFileTypes(plain, objectOf(objectOf(encoding)[field.name]).contentType);
  if (schema.type !== "list") return { ...field, schema };
  return { ...field, schema: { ...schema, minItems: Math.max(1, schema.minItems ?? 0) } };
}
