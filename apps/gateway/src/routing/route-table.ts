import {
  type FoundRoute,
  namedParameters,
  noRoute,
  type PlacedRoute,
  routerPattern,
} from "@insurance-gateway/core/runtime";
import findMyWay from "find-my-way";

/** Finds the route of a request; throws a Refusal if there is none, or if the path has other methods. */
export type FindRoute<Route> = (method: string, path: string) => FoundRoute<Route>;

/** Maximum length of a parameter; the guard already refuses a longer request target. */
const LONGEST_PARAMETER = 65_536;

/**
 * Builds the route table. A literal segment is found before a parameter in its place. Each method has separate
 * routes, so that another method of a path may name its parameters differently.
 */
export function createRouteTable<Route>(routes: readonly PlacedRoute<Route>[]): FindRoute<Route> {
  const router = findMyWay({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    maxParamLength: LONGEST_PARAMETER,
  });
  for (const placed of routes)
    router.on(placed.method, routerPattern(placed.path), () => {}, placed);
  const methods = [...new Set(routes.map(({ method }) => method))];
  return (method, path) => {
    const known = methods.find((one) => one === method);
    const found = known === undefined ? null : router.find(known, path);
    if (found === null) throw noRoute(methods.filter((one) => router.find(one, path) !== null));
    // Every entry of the table was added above.
    const placed = found.store as PlacedRoute<Route>;
    return { route: placed.route, params: namedParameters(placed.path, found.params) };
  };
}
