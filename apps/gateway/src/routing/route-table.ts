import {
  type FoundRoute,
  namedParameters,
  noRoute,
  type PlacedRoute,
  routerPattern,
} from "@insurance-gateway/core/runtime";
import findMyWay from "find-my-way";

/** Returns the route of a request; throws a Refusal if the path has no route, or no route for the method. */
export type FindRoute<Route> = (method: string, path: string) => FoundRoute<Route>;

/** Maximum length of a path parameter; the guard step already refuses longer request targets. */
const MAX_PARAMETER_LENGTH = 65_536;

/**
 * Creates the route table. A route with a literal segment wins over a route with a parameter in the same place. Each
 * method has separate routes, so that two methods of one path may name their parameters differently.
 */
export function createRouteTable<Route>(routes: readonly PlacedRoute<Route>[]): FindRoute<Route> {
  const router = findMyWay({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    maxParamLength: MAX_PARAMETER_LENGTH,
  });
  for (const placed of routes)
    router.on(placed.method, routerPattern(placed.path), () => {}, placed);
  const methods = [...new Set(routes.map(({ method }) => method))];
  return (method, path) => {
    const known = methods.find((one) => one === method);
    const found = known === undefined ? null : router.find(known, path);
    if (found === null) throw noRoute(methods.filter((one) => router.find(one, path) !== null));
    // Every entry of this table is a placed route, added above.
    const placed = found.store as PlacedRoute<Route>;
    return { route: placed.route, params: namedParameters(placed.path, found.params) };
  };
}
