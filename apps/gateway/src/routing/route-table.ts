import type { Method } from "@insurance-gateway/core/contract";
import findMyWay from "find-my-way";
import { Refusal } from "../problems/refusal.ts";
import type { FoundRoute, Route } from "./route.ts";

/** A route with the method and path it is served under. */
export interface PlacedRoute {
  readonly method: Method;
  /** The full path, parameters in braces. */
  readonly path: string;
  readonly route: Route;
}

/** Finds the route of a request; throws a Refusal when there is none or it has another method. */
export type FindRoute = (method: string, path: string) => FoundRoute;

/** Builds the route table. The path decides first, so that a wrong method can be told which ones there are. */
export function createRouteTable(routes: readonly PlacedRoute[]): FindRoute {
  const router = findMyWay({ caseSensitive: true, ignoreTrailingSlash: false });
  const byPath = Map.groupBy(routes, ({ path }) => path);
  for (const [path, placed] of byPath) {
    const methods = new Map<string, Route>(
      placed.map(({ method, route }) => [method, route] as const),
    );
    // The table is asked for the path alone; the method is looked up in what is stored there.
    router.on("GET", path.replaceAll(/\{([^}]+)\}/g, ":$1"), () => {}, methods);
  }
  return (method, path) => {
    const found = router.find("GET", path);
    if (found === null)
      throw new Refusal("NOT_FOUND", {
        detail:
          "There is no route at this path; check the provider's segment and the rest of the path.",
      });
    // Every entry of the table was put there above.
    const methods = found.store as ReadonlyMap<string, Route>;
    const route = methods.get(method);
    if (route === undefined) throw notAllowed([...methods.keys()]);
    return { route, params: found.params };
  };
}

function notAllowed(methods: readonly string[]): Refusal {
  const allow = methods.join(", ");
  return new Refusal("METHOD_NOT_ALLOWED", {
    detail: `This route has ${allow}.`,
    headers: { allow },
  });
}
