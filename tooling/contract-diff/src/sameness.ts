import { areEqual, isNode, memberOf, type Node } from "./json.ts";
import { schemaNameOf } from "./side.ts";

/**
 * Whether two parts of the versions are equal, and so is all that they refer to.
 * @param keyword - the member of a schema or an operation that both parts are; none for a whole one
 * @throws UnreadableContract for a reference to something else than a named schema
 */
export type Sameness = (before: unknown, after: unknown, keyword?: string) => boolean;

/** Prepares the question for the named schemas of two versions; it may be asked in both directions. */
export function createSameness(before: Node, after: Node): Sameness {
  const unchanged = unchangedNames(before, after);
  const isUnchanged = (reference: string): boolean => unchanged.has(schemaNameOf(reference));
  // A schema is met again from each operation that uses it, nearly always beside the same other one.
  const answers = new Map<object, Answer>();
  return (one, other, keyword) => {
    if (typeof one !== "object" || one === null) return one === other;
    const kind = keyword === undefined ? "members" : kindOf(keyword);
    const known = answers.get(one);
    if (known !== undefined && known.other === other && known.kind === kind) return known.isSame;
    const isSame = isSamePart(one, other, kind, isUnchanged);
    answers.set(one, { other, kind, isSame });
    return isSame;
  };
}

interface Answer {
  readonly other: unknown;
  readonly kind: Kind;
  readonly isSame: boolean;
}

/** Finds the named schemas that are equal in both versions, without those that refer to others which are not. */
function unchangedNames(before: Node, after: Node): ReadonlySet<string> {
  const unchanged = new Set<string>();
  const users = new Map<string, string[]>();
  for (const name of Object.keys(after)) {
    const used = new Set<string>();
    const note = (reference: string): boolean => {
      used.add(schemaNameOf(reference));
      return true;
    };
    if (!isSamePart(memberOf(before, name), after[name], "members", note)) continue;
    unchanged.add(name);
    for (const other of used) {
      const known = users.get(other);
      if (known === undefined) users.set(other, [name]);
      else known.push(name);
    }
  }
  const suspects = [...users.keys()].filter((name) => !unchanged.has(name));
  for (let suspect = suspects.pop(); suspect !== undefined; suspect = suspects.pop())
    for (const user of users.get(suspect) ?? []) if (unchanged.delete(user)) suspects.push(user);
  return unchanged;
}

/** The kind of an object: the members of a schema or an operation, a map of schemas by name, or data that only looks like a schema. */
type Kind = "members" | "names" | "data";

/** Members whose own members are names that the contract chose: a field may be called `example`. */
const byName: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
  "responses",
  "headers",
  "content",
]);
/** Members that hold values. A `$ref` in one of them refers to nothing. */
const data: ReadonlySet<string> = new Set(["example", "examples", "default", "enum", "const"]);

function kindOf(keyword: string): Kind {
  if (byName.has(keyword)) return "names";
  return data.has(keyword) || keyword.startsWith("x-") ? "data" : "members";
}

/**
 * Compares two parts up to the first difference. The same object on both sides is compared, too: what it refers to can
 * differ.
 * @param accepts - decides about each reference that both have
 */
function isSamePart(
  one: unknown,
  other: unknown,
  kind: Kind,
  accepts: (reference: string) => boolean,
): boolean {
  if (kind === "data") return areEqual(one, other);
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSamePart(item, other[index], kind, accepts))
    );
  if (!isNode(one) || !isNode(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSamePart(one[name], other[name], kind === "names" ? "members" : kindOf(name), accepts),
    ) &&
    (kind === "names" || typeof one.$ref !== "string" || accepts(one.$ref))
  );
}
