import { clearFaults, showFault } from "./faults.ts";
import type { Fields } from "./fields.ts";
import type { FormBody } from "./request.ts";
import { pathOf, setValue, type Values } from "./values.ts";

/** The bodies of an example by media type. */
export type Bodies = Readonly<Record<string, unknown>>;

/** The body of a form. The reader enters the body as text or as fields, in one of the media types. */
export interface BodyViews {
  /** Returns the shown body; null if the endpoint has no body, or if an optional body is empty. */
  readonly read: () => FormBody | null;
  /** Shows the body of an example in the form. */
  readonly take: (example: Bodies) => void;
}

/**
 * Lets the reader switch between the media types and the views of a body. Each media type and view keeps its content.
 */
export function startBodyViews(form: HTMLFormElement, values: Values, fields: Fields): BodyViews {
  const parts = [...form.querySelectorAll<HTMLElement>(".body")];
  const contents = new Map<HTMLElement, unknown>();
  const menu = form.querySelector<HTMLSelectElement>("#try-media");
  const shown = (): HTMLElement | undefined => parts.find((part) => !part.hidden);
  const select = (part: HTMLElement | undefined): void => {
    for (const one of parts) one.hidden = one !== part;
    if (part === undefined) return;
    values.body = contents.get(part);
    if (menu !== null) menu.value = part.dataset.media ?? "";
  };
  menu?.addEventListener("change", () => {
    const before = shown();
    if (before !== undefined) contents.set(before, values.body);
    select(parts.find((part) => part.dataset.media === menu.value));
  });
  for (const part of parts) startViews(part, values, fields);
  return {
    read() {
      const part = shown();
      if (part === undefined) return null;
      const { format = "", media = "" } = part.dataset;
      const text = isTextShown(part) ? (textOf(part)?.value ?? "") : null;
      const isEmpty = text === null ? values.body === undefined : text.trim() === "";
      return isEmpty ? null : { mediaType: media, format, text };
    },
    take(example) {
      const shows = ({ dataset }: HTMLElement): boolean =>
        Object.hasOwn(example, dataset.media ?? "");
      for (const part of parts.filter(shows)) {
        values.body = example[part.dataset.media ?? ""];
        // An example contains only the name of a file, so a file that the reader chose is removed.
        for (const control of part.querySelectorAll("[data-type=file]"))
          setValue(values, pathOf(control), undefined);
        contents.set(part, values.body);
        if (isTextShown(part)) writeText(part, values.body);
        else fields.fill(part);
      }
      const before = shown();
      select(before !== undefined && shows(before) ? before : (parts.find(shows) ?? before));
    },
  };
}

/** Lets the reader switch between the JSON and the fields of a body. JSON that is not valid stays visible. */
function startViews(part: HTMLElement, values: Values, fields: Fields): void {
  const [json, inFields] = part.querySelectorAll<HTMLInputElement>(".views input");
  json?.addEventListener("change", () => {
    showView(part, "text");
    writeText(part, values.body);
  });
  inFields?.addEventListener("change", () => {
    clearFaults(part);
    const fault = readText(part, values);
    if (fault === null) {
      showView(part, "fields");
      fields.fill(part);
      return;
    }
    json?.click();
    showFault(textOf(part)?.parentElement ?? part, `The fields need valid JSON. ${fault}`);
    textOf(part)?.focus();
  });
}

function showView(part: HTMLElement, view: "text" | "fields"): void {
  for (const name of ["text", "fields"])
    part.querySelector(`:scope > .${name}`)?.toggleAttribute("hidden", name !== view);
}

function textOf(part: HTMLElement): HTMLTextAreaElement | null {
  return part.querySelector(":scope > .text > textarea");
}

function isTextShown(part: HTMLElement): boolean {
  return part.querySelector(":scope > .text:not([hidden])") !== null;
}

/** Reads the text of a body into the values; returns the reason if that fails, otherwise null. */
function readText(part: HTMLElement, values: Values): string | null {
  const text = textOf(part)?.value.trim() ?? "";
  try {
    values.body = text === "" ? undefined : JSON.parse(text);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Writes a body as text, unless the text already has the same content with the reader's white space. */
function writeText(part: HTMLElement, body: unknown): void {
  const text = textOf(part);
  const before: Values = {};
  if (text === null) return;
  if (part.dataset.format === "text") text.value = typeof body === "string" ? body : "";
  else if (readText(part, before) !== null || JSON.stringify(before.body) !== JSON.stringify(body))
    text.value = body === undefined ? "" : JSON.stringify(body, null, 2);
}
