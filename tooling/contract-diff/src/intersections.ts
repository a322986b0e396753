import { inWords, pairAlternatives } from "./alternatives.ts";
import { annotations } from "./annotations.ts";
import type { Comparison } from "./comparison.ts";
import { type Finding, findingAt, type Location, partLocation } from "./finding.ts";
import { listOf } from "./json.ts";
import type { Resolved, VersionedSchema } from "./side.ts";

/**
 * Compares the members of `allOf` in two schemas: a new member excludes values.
 * @returns null if neither schema has `allOf`
 */
export function compareIntersections(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] | null {
  if (!("allOf" in before.node || "allOf" in after.node)) return null;
  const [old, current] = [intersectionMembersOf(before), intersectionMembersOf(after)];
  const { alone, pairs } = pairAlternatives([...old.keys()], [...current.keys()]);
  return [
    ...pairs.flatMap((pair) =>
      comparison.compare(pair.before, pair.after, partLocation(at, current.get(pair.after) ?? [])),
    ),
    ...alone.before
      .filter((demand) => ![...current.keys()].some((other) => comparison.contains(demand, other)))
      .map((demand) => {
        const predicate = `no longer has to be ${inWords(demand)}`;
        const place = partLocation(at, old.get(demand) ?? []);
        return findingAt({ change: "removed", effect: "wider", predicate }, place);
      }),
    ...alone.after
      .filter((demand) => ![...old.keys()].some((other) => comparison.contains(demand, other)))
      .map((demand) => {
        const predicate = `must now also be ${inWords(demand)}`;
        const place = partLocation(at, current.get(demand) ?? []);
        return findingAt({ change: "added", effect: "narrower", predicate }, place);
      }),
  ];
}

/** Returns the members of `allOf` and the keywords beside it, each with its place in the schema. */
function intersectionMembersOf({
  node,
  schemas,
}: Resolved): ReadonlyMap<VersionedSchema, readonly string[]> {
  const { allOf, ...rest } = node;
  const beside = Object.entries(rest).filter(([keyword]) => !Object.hasOwn(annotations, keyword));
  const members = listOf(allOf).map(
    (schema, index) => [{ schema, schemas }, ["allOf", String(index)]] as const,
  );
  return new Map<VersionedSchema, readonly string[]>([
    ...members,
    ...(beside.length === 0
      ? []
      : [[{ schema: Object.fromEntries(beside), schemas }, []] as const]),
  ]);
}
