import { Refusal } from "../problems/refusal.ts";
import { parseJson } from "../validation/json.ts";

/** An object of JSON text. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** No header and no claims are nested so deep; beyond it, reading would cost more than checking a signature. */
const MAXIMUM_DEPTH = 32;

/**
 * Reads bytes that must be one JSON object, as strictly as a body: of two values of one name, one reader takes the first
 * and another the last.
 * @returns null for anything else
 */
export function readJsonObject(bytes: Uint8Array): JsonObject | null {
  try {
    const value = parseJson(bytes, MAXIMUM_DEPTH);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    // An object of JSON that is no array has names for keys.
    return value as JsonObject;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
