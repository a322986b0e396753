import type { PlacedRoute } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import type { Caller } from "../../src/callers/caller.ts";
import { createOwnRoutes } from "../../src/pipeline/own-routes.ts";
import { createRouteTable } from "../../src/routing/route-table.ts";

const caller: Caller = { issuer: "i", subject: "s", tenant: null, scopes: null };

/** Creates a route without a handler. */
function placed(
  method: PlacedRoute<unknown>["method"],
  path: string,
): PlacedRoute<{ readonly template: string }> {
  return {
    method,
    path,
    route: { template: path },
  };
}

describe("the table of routes", () => {
  const find = createRouteTable([
    placed("GET", "/motor/quotes/{quoteId}"),
    placed("GET", "/motor/quotes/latest"),
    placed("POST", "/motor/quotes/{id}"),
    placed("DELETE", "/motor/quotes/{id}"),
  ]);
  const found = (method: string, path: string): unknown => {
    try {
      const { params, route } = find(method, path);
      return [route.template, params];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { code: error.code, ...error.details };
    }
  };
  const nothing = {
    code: "NOT_FOUND",
    detail:
      "There is no route at this path; check the provider's segment and the rest of the path.",
  };

  it.each([
    ["GET", "/motor/quotes/latest", ["/motor/quotes/latest", {}]],
    ["GET", "/motor/quotes/7", ["/motor/quotes/{quoteId}", { quoteId: "7" }]],
    ["POST", "/motor/quotes/latest", ["/motor/quotes/{id}", { id: "latest" }]],
    [
      "GET",
      `/motor/quotes/${"x".repeat(8_000)}`,
      ["/motor/quotes/{quoteId}", { quoteId: "x".repeat(8_000) }],
    ],
    ["GET", "/motor/quotes/7/", nothing],
    ["GET", "/Motor/quotes/7", nothing],
    ["PUT", "/motor", nothing],
    [
      "PUT",
      "/motor/quotes/7",
      {
        code: "METHOD_NOT_ALLOWED",
        detail: "This route accepts only GET, POST, DELETE.",
        headers: { allow: "GET, POST, DELETE" },
      },
    ],
  ])(
    "the route table returns the route of a request, or refuses the request: %s %.30s",
    (method, path, expected) => {
      expect(found(method, path)).toEqual(expected);
    },
  );
});

describe("the gateway's own routes", () => {
  it("a caller can send 600 requests a minute to the gateway's own routes together", () => {
    const [one, other] = createOwnRoutes("/insurance", { hasScenarios: false });
    const limits = [one?.route.limitCaller(caller), other?.route.limitCaller(caller)];
    expect(limits).toEqual([
      { "ratelimit-policy": '"caller";q=600;w=60', ratelimit: '"caller";r=599;t=60' },
      { "ratelimit-policy": '"caller";q=600;w=60', ratelimit: '"caller";r=598;t=60' },
    ]);
  });
});
