import { areEqual, memberOf, type Node } from "./json.ts";
import { COMPONENT } from "./side.ts";

/** Whether two parts of the versions are equal, and so is all that they refer to. */
export type Sameness = (before: unknown, after: unknown) => boolean;

/** Prepares the question for the named schemas of two versions; it may be asked in both directions. */
export function createSameness(before: Node, after: Node): Sameness {
  const unchanged = unchangedNames(before, after);
  const isUnchanged = (reference: string): boolean =>
    unchanged.has(reference.slice(COMPONENT.length));
  // A schema is met again from each operation that uses it, nearly always beside the same other one.
  const answers = new Map<object, { readonly other: unknown; readonly isSame: boolean }>();
  return (one, other) => {
    if (typeof one !== "object" || one === null) return one === other;
    const known = answers.get(one);
    if (known !== undefined && known.other === other) return known.isSame;
    const isSame = areEqual(one, other, isUnchanged);
    answers.set(one, { other, isSame });
    return isSame;
  };
}

/** Finds the named schemas that are equal in both versions, without those that refer to others which are not. */
function unchangedNames(before: Node, after: Node): ReadonlySet<string> {
  const unchanged = new Set<string>();
  const users = new Map<string, string[]>();
  for (const name of Object.keys(after)) {
    const used = new Set<string>();
    const note = (reference: string): boolean =>
      used.add(reference.slice(COMPONENT.length)).size > 0;
    if (!areEqual(memberOf(before, name), after[name], note)) continue;
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
