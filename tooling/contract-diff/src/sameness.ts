import { areEqual, isNode, memberOf, type Node } from "./json.ts";
import { schemaNameOf } from "./side.ts";

/**
 * Reports whether two parts of the versions are equal, including everything to which they refer.
 * @param keyword - the name of both parts in their schema or operation; omitted for a whole schema or operation
 * @throws UnreadableContract for a reference to anything except a named schema
 */
export type Sameness = (before: unknown, after: unknown, keyword?: string) => boolean;

/** Creates the check for the named schemas of two versions. The check works in both directions. */
export function createSameness(before: Node, after: Node): Sameness {
  const unchanged = unchangedNames(before, after);
  const isUnchanged = (reference: string): boolean => unchanged.has(schemaNameOf(reference));
  // Each operation that uses a schema compares the schema again, nearly always with the same schema of the other
  // version.
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
  readonly kind: PartKind;
  readonly isSame: boolean;
}

/** Finds the named schemas that are equal in both versions and refer only to equal schemas. */
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

/**
 * The kind of an object: members of a schema or operation, a map of schemas by name, or data that only resembles a
 * schema.
 */
type PartKind = "members" | "names" | "data";

/** Members whose keys are names that the contract chooses: a field may be called `example`. */
const nameMaps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
  "responses",
  "headers",
  "content",
]);
/** Members that contain values. A `$ref` inside such a value is not a reference. */
const dataMembers: ReadonlySet<string> = new Set([
  "example",
  "examples",
  "default",
  "enum",
  "const",
]);

function kindOf(keyword: string): PartKind {
  if (nameMaps.has(keyword)) return "names";
  return dataMembers.has(keyword) || keyword.startsWith("x-") ? "data" : "members";
}

/**
 * Compares two parts until the first difference. Even the same object on both sides is compared, because the schemas to
 * which it refers can differ.
 * @param accepts - decides whether a reference that both parts contain counts as equal
 */
function isSamePart(
  one: unknown,
  other: unknown,
  kind: PartKind,
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
