import type { Field } from "../../document/field-tree.ts";
import { type Html, html, prose } from "../html.ts";

/** Draws fields as a nested list. Each field has an anchor on the page, such as `#body.holder.afm`. */
export function fieldList(fields: readonly Field[], part: string): Html | null {
  return fields.length === 0
    ? null
    : html`<ul class="fields">${fields.map((field) => entryOf(field, part))}</ul>`;
}

/** Draws the content of a body: its fields, its alternatives, or only its type. */
export function bodyFields(body: Field, part: string): Html {
  const inner = [fieldList(body.fields, part), alternativesOf(body, part)];
  const text =
    body.description === "" ? null : html`<p class="about">${prose(body.description)}</p>`;
  if (inner.every((one) => one === null))
    return html`<p class="about"><span class="type">${body.type}</span> ${prose(body.description)} ${detailsOf(body)}</p>`;
  const facts = body.type === "object" ? null : html`<p class="type">${body.type}</p>`;
  return html`${text}${facts}${detailsOf(body)}${inner}`;
}

function entryOf(field: Field, part: string): Html {
  const { description, name, path, required, type } = field;
  return html`<li id="${part}.${path}"><p class="entry"><code>${name === "*" ? "any name" : name}</code>${labelOf(field)} <span class="type">${type}</span> ${needOf(required, part)}</p>
${description === "" ? null : html`<p>${prose(description)}</p>`}${detailsOf(field)}${fieldList(field.fields, part)}${alternativesOf(field, part)}</li>`;
}

/** Marks a required field of a request, or a field that may be absent from an answer. */
function needOf(required: boolean, part: string): Html | null {
  if (/^\d/.test(part)) return required ? null : html`<span class="type">may be absent</span>`;
  return required
    ? html`<span class="need">required</span>`
    : html`<span class="type">optional</span>`;
}

function labelOf({ greek }: Field): Html | null {
  return greek === null ? null : html` <span class="label" lang="el">${greek}</span>`;
}

/** Draws the values, limits and example of a field in one line. */
function detailsOf({ example, limits, mayGrow, sameAs, values }: Field): Html | null {
  const listed = values.map(
    (value, index) => html`${index === 0 ? "" : ", "}<code>${value}</code>`,
  );
  const phrases = [
    ...(values.length > 0
      ? [
          html`${values.length === 1 ? "Always" : "One of"} ${listed}${mayGrow ? "; more may follow" : ""}`,
        ]
      : []),
    ...(limits.length > 0 ? [prose(startingLarge(limits.join("; ")))] : []),
    ...(sameAs === null
      ? []
      : [html`Has the fields of <code>${sameAs === "" ? "the whole" : sameAs}</code> above`]),
    ...(isShort(example) ? [html`Example: <code>${textOf(example)}</code>`] : []),
  ];
  return phrases.length === 0
    ? null
    : html`<p class="limits">${phrases.map((phrase) => html`<span>${phrase}.</span> `)}</p>`;
}

function startingLarge(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const MAX_EXAMPLE_LENGTH = 120;

/** Reports whether an example is short. Objects are shown in the example of the whole body. */
function isShort(example: unknown): boolean {
  if (example === undefined || example === null) return false;
  const holdsObjects = [example].flat().some((value) => typeof value === "object");
  return !holdsObjects && textOf(example).length <= MAX_EXAMPLE_LENGTH;
}

function textOf(example: unknown): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}

function alternativesOf({ alternatives }: Field, part: string): Html | null {
  const named = alternatives.filter(
    ({ alternatives: inner, fields, sameAs }) =>
      fields.length + inner.length > 0 || sameAs !== null,
  );
  if (named.length === 0) return null;
  const entries = named.map(
    (one) =>
      html`<li><p class="entry"><code>${one.name}</code> <span class="type">${one.type}</span></p>
${one.description === "" ? null : html`<p>${prose(one.description)}</p>`}${detailsOf(one)}${fieldList(one.fields, part)}${alternativesOf(one, part)}</li>`,
  );
  return html`<p class="limits">One of:</p><ul class="fields">${entries}</ul>`;
}
