import { visit } from "jsonc-parser";

/** An object of JSON text. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** No header and no claims are nested so deep; beyond it, reading would cost more than checking a signature. */
const MAXIMUM_DEPTH = 32;

/**
 * Reads bytes that must be one JSON object in UTF-8, in which no object has the same name twice: of two values, one
 * reader takes the first and another the last.
 * @returns null for anything else
 */
export function readJsonObject(bytes: Uint8Array): JsonObject | null {
  try {
    // A byte order mark is no JSON (RFC 8259, section 8.1).
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    requireUniqueNames(text);
    // JSON.parse gives an object that is no array names for keys.
    return value as JsonObject;
  } catch {
    return null;
  }
}

/** @throws Error when a name is there twice, or the text is nested too deep */
function requireUniqueNames(text: string): void {
  const open: Set<string>[] = [];
  const enter = (): void => {
    if (open.push(new Set()) > MAXIMUM_DEPTH) throw new Error("The JSON is nested too deep");
  };
  const leave = (): void => void open.pop();
  visit(text, {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty(name) {
      const names = open.at(-1);
      if (names?.has(name)) throw new Error("A name is there twice");
      names?.add(name);
    },
  });
}
