/** Reports whether a value is an object or a list. */
export function isObjectOrList(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
