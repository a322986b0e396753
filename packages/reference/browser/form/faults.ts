import { type Path, pathOf } from "./values.ts";

/** A fault of a request in a problem of the gateway. */
export interface Fault {
  /** A JSON Pointer into the body, or `/query/limit` for a parameter. */
  readonly pointer: string;
  readonly message: string;
}

/** Removes all faults from the form. */
export function clearFaults(form: HTMLElement): void {
  for (const place of form.querySelectorAll(".fault")) place.replaceChildren();
  for (const control of form.querySelectorAll("[aria-invalid]"))
    control.removeAttribute("aria-invalid");
}

/** Shows a fault beside a field and marks the field's control. */
export function showFault(field: Element, message: string): void {
  const place = field.querySelector(":scope > .fault");
  if (place === null) return;
  place.textContent = [place.textContent, message].filter((text) => text !== "").join("; ");
  const control = field.querySelector(":scope > :is(input, select, textarea)");
  control?.setAttribute("aria-invalid", "true");
}

/** Focuses the first visible field with a fault; returns false if no visible field has a fault. */
export function focusFault(form: HTMLElement): boolean {
  const faulty = [...form.querySelectorAll<HTMLElement>(".fault")].find(
    (place) => place.textContent !== "" && place.checkVisibility(),
  );
  faulty?.parentElement?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  return faulty !== undefined;
}

/** Shows the gateway's faults beside their fields, or as a list below a body that is entered as text. */
export function showFaults(form: HTMLElement, faults: readonly Fault[]): void {
  for (const { message, pointer } of faults) {
    const path = pathOfPointer(form, pointer);
    const [field, rest] = nearest(form, path);
    if (field !== null) showFault(field, [...rest, message].join(" "));
    const list =
      path[0] === "body" ? form.querySelector(".body:not([hidden]) > .text > .fault") : null;
    list?.append(lineOf(pointer, message));
    list?.parentElement?.querySelector("textarea")?.setAttribute("aria-invalid", "true");
  }
}

function lineOf(pointer: string, message: string): HTMLElement {
  const line = document.createElement("p");
  const place = document.createElement("code");
  place.textContent = pointer === "" ? "body" : pointer;
  line.append(place, ` ${message}`);
  return line;
}

/** Converts a pointer to a path: `/query/limit` is a parameter; `/holder/afm` is a field of the body. */
function pathOfPointer(form: HTMLElement, pointer: string): Path {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const isParameter =
    ["path", "query", "headers"].includes(keys[0] ?? "") &&
    form.querySelector(`[data-key="${keys[0]}"]`) !== null;
  return isParameter ? keys : ["body", ...keys];
}

/** Returns the field of a path, or the nearest enclosing field with the remaining keys. */
function nearest(form: HTMLElement, path: Path): readonly [Element | null, Path] {
  const fields = [...form.querySelectorAll("[data-key]")].filter(
    (field) => field.closest(".body[hidden]") === null,
  );
  for (let length = path.length; length > 0; length -= 1) {
    const wanted = path.slice(0, length).join("/");
    const found = fields.find((field) => pathOf(field).join("/") === wanted);
    if (found !== undefined) return [found, path.slice(length)];
  }
  return [null, path];
}
