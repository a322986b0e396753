import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createKeyCounter } from "../../src/submissions/submission-states.ts";

const route = routeOf("provider-d", "createApplication");
const caller = { issuer: "https://one.example", subject: "broker", tenant: null, scopes: null };
const begun = { route, caller, key: "a" };

function routeOf(provider: string, name: string): ProviderRoute {
  const endpoint = { ...createApplication, provider };
  return { endpoint, name, segment: "motor" } as unknown as ProviderRoute; // the counter reads nothing else
}

it.each([
  ["the same key", {}, true],
  ["another key", { key: "b" }, false],
  ["another subject", { caller: { ...caller, subject: "other" } }, false],
  ["another issuer", { caller: { ...caller, issuer: "https://two.example" } }, false],
  ["another endpoint", { route: routeOf("provider-d", "renewApplication") }, false],
  ["another provider", { route: routeOf("provider-e", "createApplication") }, false],
  // A key belongs to the endpoint at all segments and to all tenants of its caller.
  ["another segment", { route: { ...route, segment: "fleet" } }, true],
  ["another tenant", { caller: { ...caller, tenant: "north" } }, true],
])(
  "a key is in progress only for requests of the same caller to the same endpoint of the same provider: %s",
  (_, other, expected) => {
    const keys = createKeyCounter();
    const end = keys.begin(begun);
    expect(keys.has({ ...begun, ...other })).toBe(expected);
    end();
    expect(keys.has(begun)).toBe(false);
  },
);
