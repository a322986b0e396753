import { pathOf, setValue, type Values, valueAt } from "./values.ts";

/** An element in which the reader enters one value. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The controls of a form. A value that has no control stays unchanged. */
export interface Fields {
  /** Writes the values into the controls. */
  readonly fill: (root: ParentNode) => void;
  /** Returns the controls with invalid values, each with the reason. The form does not send invalid values. */
  readonly faults: (root: ParentNode) => readonly (readonly [Control, string])[];
}

/** Copies the value of a form's control into the request's values after each change of the control. */
export function startFields(form: HTMLFormElement, values: Values): Fields {
  form.addEventListener("input", ({ target }) => {
    if (isControl(target)) take(values, target);
  });
  form.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    const list = target.closest<HTMLElement>("[data-list]");
    if (list === null) return;
    if (target.dataset.add !== undefined) addItem(values, list);
    else if (target.dataset.remove !== undefined) removeItem(values, list, target);
  });
  return {
    fill: (root) => fill(values, root),
    faults: (root) =>
      [...root.querySelectorAll<Control>("[data-type], #try-key")].flatMap((control) => {
        const fault = faultOf(control, isAbsent(values, control));
        return fault === null ? [] : [[control, fault] as const];
      }),
  };
}

function fill(values: Values, root: ParentNode): void {
  for (const item of root.querySelectorAll("[data-item]")) item.remove();
  for (const control of controlsIn(root)) write(control, valueAt(values, pathOf(control)));
  for (const list of root.querySelectorAll<HTMLElement>("[data-list]")) drawItems(values, list);
}

function take(values: Values, control: Control): void {
  const value = read(control);
  const holder = control.closest<HTMLElement>("[data-key]");
  if (value === undefined && holder !== null) removeValue(values, holder);
  else setValue(values, pathOf(control), value);
}

function removeValue(values: Values, holder: HTMLElement): void {
  const { nullable, required } = holder.dataset;
  const isRequired = required !== undefined || holder.querySelector("[required]") !== null;
  const value = nullable !== undefined && isRequired ? null : undefined;
  setValue(values, pathOf(holder), value);
  if (value === undefined) removeEmptyObjects(values, holder);
}

/** Removes optional objects without fields from the values. */
function removeEmptyObjects(values: Values, within: HTMLElement): void {
  const group = within.parentElement?.closest<HTMLElement>("[data-optional]") ?? null;
  if (group === null || JSON.stringify(valueAt(values, pathOf(group))) !== "{}") return;
  setValue(values, pathOf(group), group.dataset.nullable === undefined ? undefined : null);
  removeEmptyObjects(values, group);
}

function isAbsent(values: Values, control: Control): boolean {
  return [...ancestors(control, "[data-optional]")].some(
    (group) => valueAt(values, pathOf(group)) == null,
  );
}

function itemsOf(values: Values, list: HTMLElement): readonly unknown[] {
  const items = valueAt(values, pathOf(list));
  return Array.isArray(items) ? items : [];
}

function drawItems(values: Values, list: HTMLElement): void {
  const place = list.querySelector(":scope > .items");
  const template = list.querySelector<HTMLTemplateElement>(":scope > template");
  if (place === null || template === null) return;
  const drawn = itemsOf(values, list).map((_, index) => numbered(template, index));
  place.replaceChildren(...drawn);
  for (const item of place.children) fill(values, item);
}

function addItem(values: Values, list: HTMLElement): void {
  setValue(values, pathOf(list), [...itemsOf(values, list), undefined]);
  drawItems(values, list);
  list.querySelector<Control>(":scope > .items > :last-child [data-type]")?.focus();
}

function removeItem(values: Values, list: HTMLElement, button: HTMLElement): void {
  const kept = itemsOf(values, list);
  const item = button.closest("[data-item]");
  const index = [...(item?.parentElement?.children ?? [])].indexOf(item ?? button);
  setValue(values, pathOf(list), kept.toSpliced(index, 1));
  if (kept.length === 1 && list.dataset.required === undefined) removeValue(values, list);
  drawItems(values, list);
  list.querySelector<HTMLElement>(":scope > [data-add]")?.focus();
}

function* ancestors(element: Element, selector: string): Generator<Element> {
  const found = element.parentElement?.closest(selector);
  if (found == null) return;
  yield found;
  yield* ancestors(found, selector);
}

function controlsIn(root: ParentNode): readonly Control[] {
  return [...root.querySelectorAll<Control>("[data-type]")];
}

function isControl(target: EventTarget | null): target is Control {
  return target instanceof HTMLElement && target.dataset.type !== undefined;
}

/** Reads the value of a control; undefined if it is empty. */
function read(control: Control): unknown {
  control.setCustomValidity("");
  const { type } = control.dataset;
  if (type === "file") return control instanceof HTMLInputElement ? control.files?.[0] : undefined;
  if (control.value === "") return undefined;
  if (type === "number") return Number(control.value);
  if (type !== "json") return control.value;
  try {
    return JSON.parse(control.value);
  } catch {
    control.setCustomValidity("must be JSON");
    return undefined;
  }
}

function write(control: Control, value: unknown): void {
  if (control instanceof HTMLInputElement && control.type === "file") {
    const files = new DataTransfer();
    if (value instanceof File) files.items.add(value);
    control.files = files.files;
    return;
  }
  const isText = typeof value === "string" && control.dataset.type !== "json";
  const isUnset = value === undefined || (value === null && control.dataset.type !== "json");
  control.value = isUnset ? "" : isText ? value : JSON.stringify(value, null, 2);
}

function faultOf(control: Control, isAbsent: boolean): string | null {
  if (control.validity.badInput) return "must be a number";
  if (control.validity.customError) return control.validationMessage;
  if (pathOf(control)[0] === "headers" && !/^[\x20-\x7e]*$/.test(control.value))
    return "must have only ASCII characters";
  const isNullable = control.closest<HTMLElement>("[data-key]")?.dataset.nullable !== undefined;
  return control.required && control.value === "" && !isNullable && !isAbsent
    ? "is required"
    : null;
}

/** Attributes that contain the index of an item. In a nested list, the inner `#` stays. */
const INDEXED_ATTRIBUTES = ["id", "for", "aria-describedby"];

function numbered(template: HTMLTemplateElement, index: number): DocumentFragment {
  const item = document.importNode(template.content, true);
  number(item, index);
  item.querySelector('[data-key="#"]')?.setAttribute("data-key", String(index));
  return item;
}

function number(root: DocumentFragment, index: number): void {
  for (const element of root.querySelectorAll("*")) {
    for (const name of INDEXED_ATTRIBUTES) {
      const written = element.getAttribute(name);
      const ids = written?.split(" ").map((id) => id.replace("#", String(index)));
      if (ids !== undefined) element.setAttribute(name, ids.join(" "));
    }
    if (element instanceof HTMLTemplateElement) number(element.content, index);
  }
}
