import { pathParameters } from "@insurance-gateway/core/runtime";
import { jsonAnswer, type RawRequest, type SandboxRoute } from "./dialect.ts";

/** An operation of an insurer whose interface was published. */
export interface Operation {
  readonly route: SandboxRoute;
  /** Whether a segment of its path has several parameters: it is then more specific than others of its route. */
  readonly isJoined: boolean;
  /** Whether the values of a request have the form of its path. */
  readonly accepts: (request: RawRequest) => boolean;
}

/** The operation of a request, and the request with the operation's names for the values of its path. */
interface Match {
  readonly route: SandboxRoute;
  readonly request: RawRequest;
}

/**
 * The route of the operations that a router cannot distinguish. If several accept a request, the most specific one
 * answers, and of these the first one.
 */
export function sharedRoute(operations: readonly Operation[]): SandboxRoute {
  const ordered = operations.toSorted((one, other) => +other.isJoined - +one.isJoined);
  const [general] = ordered.slice(-1);
  if (general === undefined) throw new TypeError("A route has at least one operation");
  const names = pathParameters(general.route.path);
  const found = (request: RawRequest): Match | undefined => {
    for (const { accepts, route } of ordered) {
      // The router finds values by their position; each operation has its own names for them.
      const params = pathParameters(route.path).map((name, position) => [
        name,
        request.params[names[position] ?? ""],
      ]);
      const named = { ...request, params: Object.fromEntries(params) };
      if (accepts(named)) return { route, request: named };
    }
    return undefined;
  };
  return {
    method: general.route.method,
    path: general.route.path,
    read(request, clock, records) {
      const match = found(request);
      return match === undefined
        ? { answer: jsonAnswer(404, { detail: "There is no such path." }) }
        : match.route.read(match.request, clock, records);
    },
    write(answer, request) {
      const match = found(request) ?? { route: general.route, request };
      return match.route.write(answer, match.request);
    },
  };
}
