/** Whether a value is an object, a list included. */
export function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
