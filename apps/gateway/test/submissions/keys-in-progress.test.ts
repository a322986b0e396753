import { expect, it } from "vitest";
import { createKeyCounter } from "../../src/submissions/keys-in-progress.ts";

const route = { endpoint: { provider: "provider-d" }, name: "createApplication", segment: "motor" };
const caller = { issuer: "https://one.example", subject: "broker", tenant: null };
const begun = { route, caller, key: "a" };

it.each([
  ["the same key", {}, true],
  ["another key", { key: "b" }, false],
  ["another subject", { caller: { ...caller, subject: "other" } }, false],
  ["another issuer", { caller: { ...caller, issuer: "https://two.example" } }, false],
  ["another endpoint", { route: { ...route, name: "renewApplication" } }, false],
  ["another provider", { route: { ...route, endpoint: { provider: "provider-e" } } }, false],
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
