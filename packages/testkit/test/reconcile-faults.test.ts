import {
  type Endpoint,
  type PageQuery,
  type Schema,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  amount,
  date,
  decimal,
  instant,
  loose,
  pageQuery,
  strict,
  text,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { reconcileFaults } from "../src/reconcile-faults.ts";

interface Body {
  customer: string;
  plate: string;
  sum: number;
}
interface Policy {
  id: string;
  serial: number;
  price: number;
  plate: string | null;
  sum: string;
  issuedOn: string;
  createdAt: string;
}
interface Query extends PageQuery {
  customer: string;
}

const policy: Schema<Policy> = loose<Policy>({
  id: text(),
  serial: z.int(),
  price: z.number(),
  plate: z.nullable(text()),
  sum: decimal(),
  issuedOn: date(),
  createdAt: instant(),
});
const listPolicies: Search<{ query: Query; item: Policy }> = search({
  provider: "provider-m",
  path: "/policies",
  query: strict<Query>({ customer: text(), ...pageQuery() }),
  item: policy,
});

const lookup = {
  endpoint: "listPolicies",
  parameters: { customer: { from: "/customer" } },
  createdAt: "/createdAt",
};

const createPolicy: Submission<{ body: Body; response: Policy }> = submission({
  provider: "provider-m",
  path: "/policies",
  body: strict<Body>({ customer: text(), plate: text(), sum: amount() }),
  response: { 201: policy },
  idempotency: "reconcile",
  insurerId: "/id",
  settleAfterMs: 1_000,
  reconcile: lookup,
  same: ["/plate"],
});

function faultsOf(change: Partial<Endpoint>): readonly string[] {
  return reconcileFaults({ ...createPolicy, ...change }, { listPolicies, createPolicy });
}

describe("reconciliation queries", () => {
  it("the conformance check accepts a reconciliation query whose values and fields exist, even if a field is nullable", () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ insurerId: "/serial" })).toEqual([]);
  });

  it.each<[string, Partial<Endpoint>, string]>([
    [
      "a comparison of a number with a text",
      { same: ["/sum"] },
      "its reconciliation compares /sum, which is a number in the body and a string in an item of listPolicies",
    ],
    [
      "a date as the creation time",
      { reconcile: { ...lookup, createdAt: "/issuedOn" } },
      "an item of listPolicies has a /issuedOn that is no date-time, which its reconciliation needs",
    ],
    [
      "an amount as the insurer's identifier",
      { insurerId: "/price" },
      "its answer has a /price that is no string or integer, which its reconciliation needs",
    ],
    [
      "no value for a parameter that the search requires",
      { reconcile: { ...lookup, parameters: {} } },
      "its reconciliation listPolicies needs customer, and `parameters` has no value for it",
    ],
    [
      "a value for a parameter that the gateway sets",
      { reconcile: { ...lookup, parameters: { ...lookup.parameters, start: { from: "/sum" } } } },
      "its reconciliation listPolicies has no parameter start",
    ],
    [
      "a comparison of the field `constructor`, which every object inherits",
      { same: ["/constructor"] },
      "its body has no /constructor, which its reconciliation needs",
    ],
  ])(
    "the conformance check refuses a reconciliation that does not fit the schemas of the submission and the search: %s",
    (_, change, fault) => {
      expect(faultsOf(change)).toContain(fault);
    },
  );
});

describe("reconciliation by a search with a tenant in its path", () => {
  const params = strict<{ tenant: string }>({ tenant: text() });
  const below = { ...listPolicies, path: "/{tenant}/policies", params };
  const from = (tenant: string): Partial<Endpoint> => ({
    path: "/{tenant}/policies",
    params,
    reconcile: { ...lookup, parameters: { ...lookup.parameters, tenant: { from: tenant } } },
  });
  const faultsBelow = (change: Partial<Endpoint>): readonly string[] =>
    reconcileFaults({ ...createPolicy, ...change }, { listPolicies: below });

  it("the conformance check accepts a tenant in the search's path if the submission has the tenant in the path or body", () => {
    expect(faultsBelow(from("/path/tenant"))).toEqual([]);
    expect(faultsBelow(from("/plate"))).toEqual([]);
  });

  it("the conformance check refuses a tenant in the search's path if the submission has no tenant, or a tenant in both path and body", () => {
    expect(faultsBelow(from("/path/other"))).toContain(
      "its body has no /path/other, which its reconciliation needs",
    );
    const path = z.strictObject({ tenant: text() });
    const body = strict({ customer: text(), plate: text(), sum: amount(), path });
    expect(faultsBelow({ ...from("/path/tenant"), body })).toContain(
      "its reconciliation has /path/tenant, which is in its path and in its body",
    );
  });
});

describe("reconciliation by a search with a body", () => {
  const body = strict({ filter: z.strictObject({ customer: text(), line: text() }) });
  const posted: Endpoint = {
    ...listPolicies,
    method: "POST",
    query: strict(pageQuery()),
    body,
  };
  const faultsOfPosted = (parameters: Readonly<Record<string, { from: string }>>) =>
    reconcileFaults(
      { ...createPolicy, reconcile: { ...lookup, parameters } },
      { listPolicies: posted },
    );

  it("the conformance check requires a value from the submission for every required field of the search's body", () => {
    const customer = { "/filter/customer": { from: "/customer" } };
    expect(faultsOfPosted({ ...customer, "/filter/line": { from: "/plate" } })).toEqual([]);
    expect(faultsOfPosted(customer)).toEqual([
      "its reconciliation listPolicies needs /filter/line, and `parameters` has no value for it",
    ]);
    expect(faultsOfPosted({ "/filter/who": { from: "/customer" } })).toContain(
      "its reconciliation listPolicies has no parameter /filter/who",
    );
  });
});
