import { changeOf } from "./annotations.ts";
import { type Effect, type Finding, findingAt, type Location, partLocation } from "./finding.ts";
import { areEqual, isNode, memberOf, type Node, namesOf } from "./json.ts";

/**
 * Compares the declared outcome rules, such as `same` and `failures`. These rules decide whether a submission is sent
 * twice, so every change except a text or an example is breaking.
 */
export function compareRules(before: Node, after: Node, at: Location): readonly Finding[] {
  return namesOf(before, after).flatMap((name) => {
    const [old, current] = [memberOf(before, name), memberOf(after, name)];
    const place = partLocation(at, [name]);
    if (areEqual(old, current)) return [];
    if (isNode(old) && isNode(current)) return compareRules(old, current, place);
    if (Array.isArray(old) && Array.isArray(current) && old.length === current.length)
      return compareRules(
        Object.fromEntries(old.entries()),
        Object.fromEntries(current.entries()),
        place,
      );
    return [changed(name, old, current, at, place)];
  });
}

function changed(
  name: string,
  old: unknown,
  current: unknown,
  parent: Location,
  at: Location,
): Finding {
  const change = changeOf(old, current);
  const isExample = change !== "changed" && parent.pointer.endsWith("/forms");
  const effect: Effect = textMembers.includes(name) || isExample ? "text" : "other";
  const verb = {
    added: "declares a",
    changed: "declares another",
    removed: "no longer declares a",
  };
  const decision = "decide whether the insurer could get a submission twice";
  const predicate = `${verb[change]} ${name}${effect === "text" ? "" : `: ${decision}`}`;
  return findingAt({ change, effect, predicate }, at);
}

/** Members of a rule that only humans read. */
const textMembers: readonly string[] = ["text", "why"];
