import { ImportFault } from "../report.ts";

/** A JSON object of the insurer's document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An object of the insurer's document with its place. */
export interface Located {
  readonly value: JsonObject;
  /** A JSON Pointer into the document. */
  readonly pointer: string;
}

/** The parsed document of an insurer. */
export interface ImportDocument {
  readonly root: JsonObject;
  /** Follows references until an object without `$ref`. Members beside a `$ref` are ignored. */
  follow(value: unknown, pointer: string): Located;
  /** Returns the target of one `$ref`. */
  target(reference: string, pointer: string): Located;
}

/** Maximum length of a chain of references in a document; a longer chain is a cycle. */
const MAX_REFERENCE_CHAIN = 50;

/**
 * Resolves references within one document. References to other documents are refused, because only the named file is
 * read and nothing is fetched.
 */
export function importDocument(root: JsonObject): ImportDocument {
  const target = (reference: string, from: string): Located => {
    if (!reference.startsWith("#/"))
      throw new ImportFault(
        `refers to ${quoted(reference)}, which is outside the document; put it into the document, or leave the operation out`,
        from,
      );
    const pointer = pointerOf(reference);
    const found = valueAt(root, pointer);
    if (!isObject(found))
      throw new ImportFault(`refers to ${quoted(reference)}, which is not in the document`, from);
    return { value: found, pointer };
  };
  const follow = (value: unknown, pointer: string): Located => {
    let located: Located = { value: objectAt(value, pointer), pointer };
    for (let steps = 0; typeof located.value.$ref === "string"; steps += 1) {
      if (steps === MAX_REFERENCE_CHAIN)
        throw new ImportFault("is a reference that leads back to itself", pointer);
      located = target(located.value.$ref, located.pointer);
    }
    return located;
  };
  return { root, follow, target };
}

/** Reports whether a value is a reference to a place in the document. */
export function refersTo(value: unknown, pointer: string): boolean {
  return isObject(value) && typeof value.$ref === "string" && pointerOf(value.$ref) === pointer;
}

/** Reports whether a value is an object and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a member of the document that must be an object. */
export function objectAt(value: unknown, pointer: string): JsonObject {
  if (isObject(value)) return value;
  throw new ImportFault("must be an object", pointer);
}

/** Returns the members of an object in order; an empty list for a value of another type. */
export function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Returns the value if it is a list; otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a text that is not blank; otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Appends names to a JSON Pointer (RFC 6901). */
export function appendToPointer(pointer: string, ...names: readonly (string | number)[]): string {
  const escaped = names.map((name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1"));
  return [pointer, ...escaped].join("/");
}

/** Returns the unescaped names of a JSON Pointer. */
export function namesIn(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(root: JsonObject, pointer: string): unknown {
  let value: unknown = root;
  for (const name of namesIn(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/**
 * Returns the JSON Pointer of a reference within the document. The reference is a URI fragment, whose characters may be
 * percent-encoded (RFC 6901, section 6).
 */
export function pointerOf(reference: string): string {
  const fragment = reference.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
