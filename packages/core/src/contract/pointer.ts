/** Reports whether a text is a JSON Pointer (RFC 6901) that is not empty. */
export function isPointer(text: string): boolean {
  return /^(\/([^~/]|~[01])+)+$/.test(text);
}

/** Returns the unescaped names in a JSON Pointer. */
export function pointerNames(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => (part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part));
}

/** Returns the value at a JSON Pointer (RFC 6901), or undefined if the place has no value. */
export function valueAt(value: unknown, pointer: string): unknown {
  let place = value;
  for (const name of pointerNames(pointer)) {
    if (typeof place !== "object" || place === null) return undefined;
    // Inherited properties and the length of a list are not part of the JSON value.
    place = isOwn(place, name) ? Reflect.get(place, name) : undefined;
  }
  return place;
}

/** Reports whether a JSON object or list has a member. */
function isOwn(place: object, name: string): boolean {
  return Object.hasOwn(place, name) && !(Array.isArray(place) && name === "length");
}

/**
 * Returns a copy with a value set at a JSON Pointer; missing objects on the path are created. Setting undefined removes
 * the field and creates nothing. The path must not lead through a list.
 */
export function withValueAt(value: unknown, pointer: string, placed: unknown): unknown {
  return withMember(value, pointerNames(pointer), placed);
}

function withMember(
  value: unknown,
  [name, ...deeper]: readonly string[],
  placed: unknown,
): unknown {
  if (name === undefined) return placed;
  const isObject = typeof value === "object" && value !== null;
  const member: unknown = isObject && isOwn(value, name) ? Reflect.get(value, name) : undefined;
  if (placed === undefined && member === undefined) return value;
  const inner = withMember(member, deeper, placed);
  const { [name]: _, ...others }: Readonly<Record<string, unknown>> = { ...Object(value) };
  return inner === undefined ? others : { ...(isObject ? value : {}), [name]: inner };
}
