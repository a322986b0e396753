import { isDeepStrictEqual } from "node:util";
import { isJson } from "@insurance-gateway/core/runtime";
import type { JsonObject } from "../document/references.ts";
import type { Field, Scalar, SchemaNode, UnionNode } from "../schemas/model.ts";
import type { QueryStyle } from "./model.ts";

/** The schema of a parameter in a form that texts can express, with the style of a query parameter. */
interface TextForm {
  readonly node: SchemaNode;
  readonly style?: QueryStyle;
}

/**
 * Returns a parameter's schema in a form that texts can express. If texts cannot express the values, returns the reason
 * as the end of a sentence.
 * @param contentType - the media type of a parameter that has one instead of a style
 */
export function textFormOf(
  node: SchemaNode,
  { in: location, value }: { readonly in: string; readonly value: JsonObject },
  contentType: string | undefined,
): TextForm | string {
  const isContent = contentType !== undefined;
  const plain = listIn(withoutNull(node));
  const text = singleTextSchema(plain);
  const style = String(value.style ?? (location === "query" ? "form" : "simple"));
  if (style === "matrix" || style === "label")
    return `is written in the style ${style}, which no declaration has`;
  if (text !== null && contentType !== undefined && isJson(contentType))
    return location === "query" ? { node: text, style: "json" } : "is written as JSON";
  if (text !== null) return { node: text };
  if (plain.type === "list") {
    const item = singleTextSchema(withoutNull(plain.item));
    if (item === null) return "is a list of what cannot be written as a text";
    if (isContent) return `is written in the style of its media type, which no declaration has`;
    // The default of `explode` is true for the style `form` and false for other styles (OpenAPI, Parameter Object).
    const isRepeated = location === "query" && (value.explode ?? style === "form") === true;
    const delimited = isRepeated ? undefined : DELIMITED[style];
    return {
      node: {
        ...plain,
        item,
        minItems: Math.max(1, plain.minItems ?? 0),
        ...(isRepeated || delimited !== undefined ? {} : { joined: true }),
      },
      ...(delimited === undefined ? {} : { style: delimited }),
    };
  }
  if (location !== "query") return "is of a type that cannot be written as a text";
  const object = plain.type === "named" ? plain.definition.node : plain;
  if (object.type !== "object") return "is of a type that cannot be written as a text";
  const fields = object.fields.map((field) => ({
    ...field,
    schema: singleTextSchema(withoutNull(field.schema)),
  }));
  if (!isContent && value.explode === false && style !== "deepObject")
    return "is an object whose fields are joined into one text";
  if (!fields.every(isTextual) || !fields.some(({ required }) => required))
    return "is an object that may be empty, or has a field that cannot be written as a text";
  if (isContent) return { node: plain, style: "json" };
  return { node: plain, ...(style === "deepObject" ? {} : { style: "fields" }) };
}

function isTextual(field: { readonly schema: SchemaNode | null }): field is Field {
  return field.schema !== null;
}

/** The syntax of a list in one text, by OpenAPI's `style`. */
const DELIMITED: Readonly<Record<string, QueryStyle>> = {
  pipeDelimited: "pipes",
  spaceDelimited: "spaces",
};

/** Returns the list schema of a schema that accepts a text or a list of texts: one item is sent like the text. */
function listIn(node: SchemaNode): SchemaNode {
  const union = node.type === "named" ? node.definition.node : node;
  if (union.type !== "union") return node;
  const alternatives = union.alternatives.map(withoutNull);
  const list = alternatives.find((one) => one.type === "list");
  if (list?.type !== "list") return node;
  const others = alternatives.filter((one) => one !== list);
  const item = oneText({ ...union, mode: "any", alternatives: [list.item, ...others] });
  return item === null ? node : { ...list, item };
}

function withoutNull(node: SchemaNode): SchemaNode {
  return node.type === "nullable" ? withoutNull(node.inner) : node;
}

/** Returns a schema that one text can express; null for another schema. */
function singleTextSchema(node: SchemaNode): SchemaNode | null {
  switch (node.type) {
    case "string":
    case "number":
    case "integer":
    case "digits":
    case "boolean":
      return node;
    case "anything":
      return { type: "string" };
    case "enum": {
      const types = new Set(node.values.map((value) => typeof value));
      return types.size === 1 ? node : { ...node, values: textsIn(node.values) };
    }
    case "named": {
      const inner = singleTextSchema(node.definition.node);
      // A definition whose schema is already a text keeps its name.
      return inner === node.definition.node ? node : inner;
    }
    case "union":
      return oneText(node);
    default:
      return null;
  }
}

/**
 * Returns a schema for alternatives that one text can express. Alternatives of several types become one text schema
 * that allows the syntax of each type.
 */
function oneText(union: UnionNode): SchemaNode | null {
  const texts = union.alternatives
    .map(withoutNull)
    .filter(({ type }) => type !== "null")
    .map(singleTextSchema);
  if (!texts.every((one) => one !== null)) return null;
  const isMixed = new Set(texts.map(typeRead)).size > 1;
  const forms = isMixed ? texts.map(plainForm) : texts;
  const distinct = forms.filter(
    (one, index) => forms.findIndex((other) => isDeepStrictEqual(one, other)) === index,
  );
  const [only, ...others] = distinct;
  if (only === undefined || distinct.some(isAnyText)) return { type: "string" };
  if (others.length === 0) return only;
  return { type: "union", mode: isMixed ? "any" : union.mode, alternatives: distinct };
}

/** Returns the type to which a gateway converts the text of a parameter. */
function typeRead(node: SchemaNode): string {
  if (node.type === "named") return typeRead(node.definition.node);
  if (node.type === "integer") return "number";
  if (node.type === "enum") return typeof node.values[0];
  if (node.type === "union") return typeRead(node.alternatives[0] ?? { type: "string" });
  return node.type === "digits" ? "string" : node.type;
}

/** Returns a string schema for the texts that represent values of another type. */
function plainForm(node: SchemaNode): SchemaNode {
  switch (node.type) {
    case "named":
      return plainForm(node.definition.node);
    case "integer":
      return { type: "string", pattern: "^(0|-?[1-9][0-9]*)$" };
    case "number":
      return { type: "string", pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" };
    case "boolean":
      return { type: "enum", values: ["true", "false"], open: false };
    case "enum":
      return { ...node, values: textsIn(node.values) };
    default:
      return node;
  }
}

function textsIn(values: readonly Scalar[]): readonly string[] {
  return [...new Set(values.map(String))];
}

function isAnyText(node: SchemaNode): boolean {
  return node.type === "string" && Object.keys(node).length === 1;
}

/**
 * Reports whether a parameter has limits that the package cannot check: limits of numbers, if the parameter may also be
 * a text.
 */
export function limitsAreLost(node: SchemaNode): boolean {
  const plain = withoutNull(node.type === "named" ? node.definition.node : node);
  if (plain.type === "list") return limitsAreLost(plain.item);
  if (plain.type !== "union") return false;
  const alternatives = plain.alternatives
    .map(withoutNull)
    .map((one) => (one.type === "named" ? one.definition.node : one));
  const types = new Set(alternatives.filter(({ type }) => type !== "null").map(typeRead));
  return (
    types.size > 1 &&
    alternatives.some(
      (one) =>
        (one.type === "integer" || one.type === "number") &&
        Object.keys(one).some((rule) => rule !== "type" && rule !== "format"),
    )
  );
}
