import type { JsonSchema, OpenApiDocument } from "../../document/open-api.ts";
import { plainSchema } from "../../document/type-in-words.ts";
import type { Labels } from "../../documentation/documentation.ts";
import { type Html, html, prose } from "../html.ts";

/** A part of a request for which the form has a field. */
export interface FormField {
  /** The name of the value in its part of the request, or the index in a list. */
  readonly key: string;
  /** A unique id on the page. */
  readonly id: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** The value in the example; undefined if the example does not contain the field. */
  readonly value?: unknown;
  readonly description?: string;
  readonly labels?: Labels | undefined;
  /** True for an item of a list. */
  readonly isItem?: boolean;
}

/** Schemas by name, and the names of the schemas that enclose a field. */
interface Context {
  readonly schemas: OpenApiDocument["components"]["schemas"];
  readonly within: readonly string[];
}

/**
 * Draws the control of a value: an input, a menu, a group of fields or a list. A value without a suitable control is
 * entered as JSON. `browser/form/fields.ts` reads the controls.
 */
export function formField(field: FormField, { components }: OpenApiDocument): Html {
  return drawn(field, { schemas: components.schemas, within: [] });
}

function drawn(field: FormField, context: Context): Html {
  const { component, nullable, schema } = plainSchema(field.schema, context.schemas);
  const within = component === null ? context.within : [...context.within, component];
  const shown: FormField = {
    ...field,
    schema,
    description: field.description ?? schema.description ?? "",
    labels: field.labels ?? schema["x-labels"],
  };
  // A recursive schema has no end, so the form does not draw the schema again inside itself.
  const inner = { ...context, within };
  const isRecursive = new Set(within).size < within.length;
  if (isRecursive) return single(shown, jsonControl(shown), nullable);
  if (schema.type === "object" && schema.properties !== undefined)
    return group(shown, schema.properties, inner, nullable);
  if (schema.type === "array" && schema.items !== undefined && schema.prefixItems === undefined)
    return list(shown, schema.items, inner, nullable);
  return single(shown, controlOf(shown), nullable);
}

/** Renders a value with one control. */
function single(field: FormField, control: Html, nullable: boolean): Html {
  const { id, key } = field;
  return html`<div class="control" data-key="${key}"${flag("data-nullable", nullable)}>
<label for="${id}">${nameOf(field)}</label>
${control}${texts(field)}</div>`;
}

/** Renders an object as a frame with its fields. */
function group(
  field: FormField,
  properties: NonNullable<JsonSchema["properties"]>,
  context: Context,
  nullable: boolean,
): Html {
  const { id, key, required, schema, value } = field;
  const fields = Object.entries(properties).map(([name, property]) =>
    drawn(
      {
        key: name,
        id: `${id}.${name}`,
        schema: property,
        required: schema.required?.includes(name) ?? false,
        value: Reflect.get(Object(value), name),
      },
      context,
    ),
  );
  const optional = flag("data-optional", nullable || !required);
  return html`<fieldset data-key="${key}"${optional}${flag("data-nullable", nullable)}><legend>${nameOf(field)}</legend>${texts(field)}${fields}</fieldset>`;
}

/** The placeholder for an item's index in the template of a list's items. */
const ITEM_INDEX = "#";

function list(field: FormField, items: JsonSchema, context: Context, nullable: boolean): Html {
  const { id, isItem = false, key, required, value } = field;
  const item = (index: string, itemValue: unknown): Html =>
    html`<div class="item" data-item>${drawn(
      {
        key: index,
        id: `${id}.${index}`,
        schema: items,
        required: true,
        value: itemValue,
        isItem: true,
      },
      context,
    )}<button type="button" class="quiet" data-remove>Remove</button></div>`;
  const shown = Array.isArray(value) ? value.map((one, index) => item(String(index), one)) : [];
  return html`<fieldset data-key="${key}" data-list${flag("data-required", required)}${flag("data-nullable", nullable)}><legend>${nameOf(field)}</legend>${texts(field)}
<div class="items">${shown}</div><template>${item(ITEM_INDEX, undefined)}</template>
<button type="button" class="quiet" data-add>Add to ${isItem ? "the list" : key}</button></fieldset>`;
}

function nameOf({ isItem = false, key, labels, required }: FormField): Html {
  const greek = Object.entries(labels ?? {}).map(
    ([language, label]) => html` <span class="label" lang="${language}">${label}</span>`,
  );
  // The style sheet numbers the items.
  if (isItem) return html`<span class="index">Item</span>`;
  return html`<code>${key}</code>${required ? html` <span class="need" aria-hidden="true">required</span>` : null}${greek}`;
}

/** Renders the description of a field and the place for its fault. */
function texts({ description = "", id }: FormField): Html {
  const hint =
    description === "" ? null : html`<p class="hint" id="${id}-hint">${prose(description)}</p>`;
  return html`${hint}<p class="fault" id="${id}-fault"></p>`;
}

function controlOf(field: FormField): Html {
  const { id, schema, value } = field;
  const values = valuesOf(schema);
  if (schema["x-file"] !== undefined) return fileControl(field);
  if (values !== null) return menu(field, values);
  const control = inputs[String(schema.type)] ?? null;
  if (control === null) return jsonControl(field);
  const type = control === "string" ? (textTypes[schema.format ?? ""] ?? "text") : "number";
  const step = schema.type === "integer" ? "1" : "any";
  return html`<input id="${id}" type="${type}"${type === "number" ? html` step="${step}"` : null} data-type="${control}" autocomplete="off" spellcheck="false" value="${textOf(value)}"${common(field)}>`;
}

const inputs: Readonly<Record<string, "number" | "string">> = {
  string: "string",
  integer: "number",
  number: "number",
};

/** The input types of formats; other formats are texts. */
const textTypes: Readonly<Record<string, string>> = { date: "date", email: "email", uri: "url" };

/** Returns the values that a schema lists; null without a list. */
function valuesOf(schema: JsonSchema): readonly unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  return schema.type === "boolean" ? [true, false] : null;
}

/** Renders a menu. Its options are JSON, because a value can be a number, a text or a boolean. */
function menu(field: FormField, values: readonly unknown[]): Html {
  const options = values.map(
    (value) =>
      html`<option value="${JSON.stringify(value)}"${flag("selected", value === field.value)}>${String(value)}</option>`,
  );
  return html`<select id="${field.id}" data-type="json"${common(field)}><option value=""></option>${options}</select>`;
}

function fileControl(field: FormField): Html {
  const rules: unknown = field.schema["x-file"];
  const types: unknown = Reflect.get(Object(rules), "mediaTypes");
  const accept = Array.isArray(types) ? html` accept="${types.join(",")}"` : null;
  return html`<input id="${field.id}" type="file" data-type="file"${accept}${common(field)}>`;
}

function jsonControl(field: FormField): Html {
  const text = field.value === undefined ? "" : JSON.stringify(field.value, null, 2);
  return html`<textarea id="${field.id}" rows="3" data-type="json" placeholder="JSON" spellcheck="false"${common(field)}>${text}</textarea>`;
}

function common({ description = "", id, required }: FormField): Html {
  const texts = description === "" ? `${id}-fault` : `${id}-hint ${id}-fault`;
  return html` aria-describedby="${texts}"${flag("required", required)}`;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function flag(name: string, set: boolean): Html | null {
  return set ? html` ${name}` : null;
}
