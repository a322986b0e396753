import { describe, expect, it } from "vitest";
import { accountRemoved, createAccountIndex, createTenants } from "../../src/accounts/tenants.ts";
import type { Caller } from "../../src/callers/caller.ts";
import { Refusal } from "../../src/problems/refusal.ts";

const [ONE, OTHER] = ["https://one.example", "https://other.example"];
const caller = (issuer: string, tenant: string | null): Caller => ({
  issuer,
  subject: "sub broker",
  tenant,
  scopes: null,
});
const account = (id: string, segment: string, issuer: string, name: string) => ({
  id,
  segment,
  tenant: { issuer, name },
});

/** The refusal that work ends with: its code and what it says. */
function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, error.details];
  }
}

const noTenant = [
  "FORBIDDEN",
  {
    detail:
      "The token does not name a tenant: the claim that the gateway's operator configured must be one text.",
    reason: "no_tenant",
  },
];
const unknownTenant = [
  "FORBIDDEN",
  {
    detail:
      "The tenant that the token names has no account here. The gateway's operator adds accounts.",
    reason: "unknown_tenant",
  },
];

describe("the account of a caller", () => {
  const index = createAccountIndex();
  index.add(account("d-1", "d", ONE, "north"));
  index.add(account("e-1", "e", ONE, "north"));
  index.add(account("d-2", "d", OTHER, "north"));
  const tenants = createTenants("broker", index.find);

  it.each<[string, string | null, string, string | null, unknown, unknown]>([
    [ONE, "north", "d", "d-1", "d-1", undefined],
    [ONE, "north", "e", "e-1", "e-1", undefined],
    [OTHER, "north", "d", "d-2", "d-2", undefined],
    [OTHER, "north", "e", null, unknownTenant, undefined],
    [ONE, "south", "d", null, unknownTenant, unknownTenant],
    [ONE, null, "d", null, noTenant, noTenant],
  ])("of %s and the tenant %s to %s is %s", (issuer, tenant, segment, found, used, admitted) => {
    const one = caller(issuer, tenant);
    expect([
      tenants.find(one, segment),
      refusalOf(() => tenants.accountOf(one, segment)),
      refusalOf(() => tenants.admit(one)),
    ]).toEqual([found, used, admitted]);
  });

  it("is the default one where no claim names tenants", () => {
    const plain = createTenants(undefined, index.find);
    const one = caller(ONE, null);
    expect([plain.find(one, "d"), plain.accountOf(one, "d"), plain.admit(one)]).toEqual([
      "default",
      "default",
      undefined,
    ]);
  });

  it("is none that was removed", () => {
    index.remove(account("e-1", "e", ONE, "north"));
    index.remove(account("x", "d", "https://nobody.example", "north"));
    expect([index.find(ONE, "north"), index.find(OTHER, "north"), index.find(ONE, "x")]).toEqual([
      [{ id: "d-1", segment: "d" }],
      [{ id: "d-2", segment: "d" }],
      [],
    ]);
    index.remove(account("d-1", "d", ONE, "north"));
    expect(index.find(ONE, "north")).toEqual([]);
    expect(refusalOf(() => tenants.admit(caller(ONE, "north")))).toEqual(unknownTenant);
    const { code, details } = accountRemoved();
    expect([code, details]).toEqual([
      "PROVIDER_UNAVAILABLE",
      {
        detail: "The account of your tenant was removed; nothing was sent.",
        outcome: "not_sent",
        retry: "never",
        reason: "no_account",
      },
    ]);
  });
});
