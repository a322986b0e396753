/**
 * The values of a request by part: path, query, headers, body. JSON Pointers in the gateway's problems use these names.
 */
export type Values = Record<string, unknown>;

/** The names of the members that lead to a nested value. */
export type Path = readonly string[];

/** Reads the value at a path; undefined if no value exists at the path. */
export function valueAt(values: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (outer, key) =>
      Object.hasOwn(Object(outer), key) ? Reflect.get(Object(outer), key) : undefined,
    values,
  );
}

/**
 * Sets the value at a path and creates missing objects on the path; removes the old value if the new value is
 * undefined.
 */
export function setValue(values: object, path: Path, value: unknown): void {
  const [key = "", ...rest] = path;
  if (rest.length > 0) {
    const inner: unknown = valueAt(values, [key]);
    const target = typeof inner === "object" && inner !== null ? inner : {};
    if (target !== inner && value !== undefined) Reflect.set(values, key, target);
    setValue(target, rest, value);
  } else if (value === undefined && !Array.isArray(values)) Reflect.deleteProperty(values, key);
  else Reflect.set(values, key, value);
}

/** Returns the path of the value that an element of the form shows. */
export function pathOf(element: Element): Path {
  const holder = element.closest<HTMLElement>("[data-key]");
  if (holder === null) return [];
  return [...pathOf(holder.parentElement ?? document.body), holder.dataset.key ?? ""];
}
