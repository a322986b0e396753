import { clearFaults, showFault } from "./faults.ts";
import type { Fields } from "./fields.ts";
import type { FormBody } from "./request.ts";
import type { Values } from "./values.ts";

/** The body of a form: one of its media types, as a text or as fields. */
export interface BodyViews {
  /** The body as it is shown; null if the endpoint takes none, or an optional one is empty. */
  readonly read: () => FormBody | null;
  /** Shows the body of the values. */
  readonly show: () => void;
}

/** Switches between the views of a body. What one view has, the other shows. */
export function startBodyViews(form: HTMLFormElement, values: Values, fields: Fields): BodyViews {
  const parts = [...form.querySelectorAll<HTMLElement>(".body")];
  const shown = (): HTMLElement | undefined => parts.find((part) => !part.hidden);
  const menu = form.querySelector<HTMLSelectElement>("#try-media");
  menu?.addEventListener("change", () => {
    const before = shown();
    // Content that is not JSON stays where it is.
    if (before !== undefined && isTextShown(before)) takeText(before);
    for (const part of parts) part.hidden = part.dataset.media !== menu.value;
    show();
  });
  const takeText = (part: HTMLElement): string | null => {
    const text = textOf(part);
    if (text === null || part.dataset.format !== "json") return null;
    try {
      values.body = text.value.trim() === "" ? undefined : JSON.parse(text.value);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const writeText = (part: HTMLElement): void => {
    const text = textOf(part);
    const { body } = values;
    if (text === null) return;
    if (part.dataset.format === "text") text.value = typeof body === "string" ? body : text.value;
    else if (!isSame(text.value, body))
      text.value = body === undefined ? "" : JSON.stringify(body, null, 2);
  };
  const show = (): void => {
    const part = shown();
    if (part === undefined) return;
    if (isTextShown(part)) writeText(part);
    else fields.fill(part);
  };
  for (const part of parts)
    part.querySelector(".views")?.addEventListener("change", ({ target }) => {
      if (!(target instanceof HTMLInputElement)) return;
      const place = part.querySelector(":scope > .text");
      const fault = target.value === "fields" ? takeText(part) : null;
      if (fault !== null && place !== null) {
        const [json] = part.querySelectorAll<HTMLInputElement>(".views input");
        json?.click();
        clearFaults(part);
        showFault(place, `The fields need valid JSON. ${fault}`);
        textOf(part)?.focus();
        return;
      }
      for (const name of ["text", "fields"])
        part
          .querySelector<HTMLElement>(`:scope > .${name}`)
          ?.toggleAttribute("hidden", (name === "fields") !== (target.value === "fields"));
      show();
    });
  return {
    show,
    read() {
      const part = shown();
      if (part === undefined) return null;
      const { format = "", media = "" } = part.dataset;
      const text = isTextShown(part) ? (textOf(part)?.value ?? "") : null;
      const isEmpty = text === null ? values.body === undefined : text.trim() === "";
      return isEmpty ? null : { mediaType: media, format, text };
    },
  };
}

function textOf(part: HTMLElement): HTMLTextAreaElement | null {
  return part.querySelector(":scope > .text > textarea");
}

function isTextShown(part: HTMLElement): boolean {
  return part.querySelector(":scope > .text:not([hidden])") !== null;
}

/** Whether a text has a value already, whatever its white space. */
function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
