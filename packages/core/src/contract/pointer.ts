/** The value at a place of a JSON value, named by a JSON Pointer (RFC 6901); undefined where there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let place = value;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof place !== "object" || place === null) return undefined;
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    place = Object.hasOwn(place, name) ? Reflect.get(place, name) : undefined;
  }
  return place;
}
