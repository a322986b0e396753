/** Whether a text is a JSON Pointer to a place within a document (RFC 6901). */
export function isPointer(text: string): boolean {
  return /^(\/([^~/]|~[01])+)+$/.test(text);
}

/** The names that lead to the place of a JSON Pointer, unescaped. */
export function pointerNames(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a place of a JSON value, named by a JSON Pointer (RFC 6901); undefined where there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let place = value;
  for (const name of pointerNames(pointer)) {
    if (typeof place !== "object" || place === null) return undefined;
    // Nothing that a list or an object has by itself is part of the document.
    place = Object.keys(place).includes(name) ? Reflect.get(place, name) : undefined;
  }
  return place;
}

/** A JSON value with another value at a place; objects on the way that are missing are made. Undefined removes the place. */
export function withValueAt(value: unknown, pointer: string, placed: unknown): unknown {
  return withMember(value, pointerNames(pointer), placed);
}

function withMember(
  value: unknown,
  [name, ...deeper]: readonly string[],
  placed: unknown,
): unknown {
  if (name === undefined) return placed;
  const members: Readonly<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...value } : {};
  const inner = withMember(members[name], deeper, placed);
  if (inner !== undefined) return { ...members, [name]: inner };
  const { [name]: _, ...others } = members;
  return others;
}
