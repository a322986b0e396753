import { type PathSegment, pathSegments, percentDecoded } from "../contract/path.ts";
import type { FoundRoute, PlacedRoute } from "../contract/routes.ts";
import { noRoute } from "../rules/request-refusals.ts";

/**
 * Finds the route of a request. A literal segment has priority over a parameter in the same place.
 * @throws Refusal if no route matches
 */
export function findRoute<Route>(
  routes: readonly PlacedRoute<Route>[],
  method: string,
  path: string,
): FoundRoute<Route> {
  const texts = path.slice(1).split("/").map(percentDecoded);
  const found = routes.flatMap((placed) => {
    const segments = pathSegments(placed.path) ?? [];
    const params = paramsIn(segments, texts);
    return params === null ? [] : [{ placed, params, order: routeSortKey(segments) }];
  });
  const [first] = found
    .filter(({ placed }) => placed.method === method)
    .toSorted((one, other) => (one.order < other.order ? -1 : 1));
  if (first === undefined) throw noRoute([...new Set(found.map(({ placed }) => placed.method))]);
  return { route: first.placed.route, params: first.params };
}

/** Returns a sort key that places literals before parameters, from the first segment on. */
function routeSortKey(segments: readonly PathSegment[]): string {
  return segments.map(({ parameter }) => (parameter === null ? "0" : "1")).join("");
}

function paramsIn(
  segments: readonly PathSegment[],
  texts: readonly (string | null)[],
): Readonly<Record<string, string>> | null {
  if (segments.length !== texts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, { after, before, parameter }] of segments.entries()) {
    const text = texts[index] ?? "";
    if (parameter === null) {
      if (text !== before) return null;
      continue;
    }
    const value = text.slice(before.length, text.length - after.length);
    if (value === "" || text !== before + value + after) return null;
    params[parameter] = value;
  }
  return params;
}
