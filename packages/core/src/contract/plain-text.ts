import type * as z from "zod/mini";
import { escapePointer, type Fault } from "./faults.ts";
import { isFilePart } from "./files.ts";
import { namedRules } from "./named-rules.ts";
import type { Schema } from "./schema.ts";

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and characters that change the direction of text.
 * They can forge lines of a log, terminal commands, or names in an insurer's documents (Unicode TR 36, UTS 39).
 */
const NOT_PLAIN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Reports whether a text has none of the characters that the rule `plainText` excludes. */
export function isPlainText(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/** Maximum depth of the check, in levels. The gateway refuses deeper bodies, and no schema describes deeper values. */
const MAX_DEPTH = 64;

/**
 * Finds texts and names of fields that are not plain.
 * @param schema - the value's schema; faults contain only field names of this schema
 * @param prefix - text before every pointer, such as `/query`
 */
export function plainTextFaults(
  schema: Schema<unknown>,
  value: unknown,
  prefix = "",
): readonly Fault[] {
  // Nearly all values are plain. For the other values, the code below records the path to each text.
  if (isPlainValue(value, 0)) return [];
  const found: Path[] = [];
  collectPaths(value, [], found);
  const names = declaredNames(schema);
  const pointers = found.map((path) => {
    const unknown = path.findIndex((name) => typeof name === "string" && !names.has(name));
    // An undeclared name may be personal data, so the fault points to the object that contains it.
    const known = unknown === -1 ? path : path.slice(0, unknown);
    return prefix + known.map((name) => `/${escapePointer(String(name))}`).join("");
  });
  return [...new Set(pointers)].map((pointer) => ({ pointer, ...namedRules.plainText }));
}

/** A path to a value: names of fields, and positions in lists. */
type Path = readonly (string | number)[];

function isPlainValue(value: unknown, depth: number): boolean {
  if (typeof value === "string") return !NOT_PLAIN.test(value);
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return true;
  if (isFilePart(value) && !("path" in value.content)) return isPlainText(value.name ?? "");
  if (Array.isArray(value)) return value.every((member) => isPlainValue(member, depth + 1));
  for (const name of Object.keys(value)) if (NOT_PLAIN.test(name)) return false;
  return Object.values(value).every((member) => isPlainValue(member, depth + 1));
}

function collectPaths(value: unknown, path: Path, found: Path[]): void {
  if (typeof value === "string") {
    if (NOT_PLAIN.test(value)) found.push(path);
    return;
  }
  if (typeof value !== "object" || value === null || path.length >= MAX_DEPTH) return;
  // A value from JSON is never a file, even if it has the same fields.
  if (isFilePart(value) && !("path" in value.content)) {
    // Only the name of a file is displayed; its content is not text.
    collectPaths(value.name ?? "", path, found);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) collectPaths(member, [...path, index], found);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (NOT_PLAIN.test(name)) found.push(path);
    else collectPaths(member, [...path, name], found);
  }
}

/**
 * Returns the names of all fields in a schema, from zod's definitions. A conversion to JSON Schema would double the
 * size of the client.
 */
function declaredNames(schema: Schema<unknown>): ReadonlySet<string> {
  const names = new Set<string>();
  const known = new Set<object>();
  const collect = (part: unknown): void => {
    if (typeof part !== "object" || part === null || known.has(part)) return;
    known.add(part);
    // The definition of a schema contains the schemas of its parts.
    const {
      _zod: internals,
    }: { readonly _zod?: { readonly def: z.core.$ZodTypes["_zod"]["def"] } } = part;
    const inside = internals?.def ?? part;
    const def = internals?.def;
    if (def?.type === "object") for (const name of Object.keys(def.shape)) names.add(name);
    if (def?.type === "lazy") collect(def.getter());
    for (const value of Object.values(inside)) collect(value);
  };
  collect(schema);
  return names;
}
