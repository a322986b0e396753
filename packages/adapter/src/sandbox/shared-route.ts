import { pathParameters } from "@insurance-gateway/core/runtime";
import { jsonAnswer, type RawRequest, type SandboxRoute } from "./dialect.ts";

/** An operation of an insurer with an imported OpenAPI document. */
export interface Operation {
  readonly route: SandboxRoute;
  /** True if a segment of the path has several parameters. Such an operation is more specific than others. */
  readonly isJoined: boolean;
  /** Reports whether a request's path values have the form of the operation's path. */
  readonly accepts: (request: RawRequest) => boolean;
}

/** The operation that a request matches, and the request with the operation's names of path values. */
interface MatchedOperation {
  readonly route: SandboxRoute;
  readonly request: RawRequest;
}

/**
 * Creates one route for operations that a router cannot distinguish. If several operations accept a request, the most
 * specific one answers; of equally specific operations, the first one answers.
 */
export function sharedRoute(operations: readonly Operation[]): SandboxRoute {
  const ordered = operations.toSorted((one, other) => +other.isJoined - +one.isJoined);
  const [general] = ordered.slice(-1);
  if (general === undefined) throw new TypeError("A route has at least one operation");
  const names = pathParameters(general.route.path);
  const found = (request: RawRequest): MatchedOperation | undefined => {
    for (const { accepts, route } of ordered) {
      // The router names path values by position; each operation names the values by the parameters of the operation's
      // path.
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
