import {
  type Endpoint,
  type PageQuery,
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

const listPolicies: Search<{ query: Query; item: Policy }> = search({
  provider: "provider-m",
  path: "/policies",
  query: strict<Query>({ customer: text(), ...pageQuery() }),
  item: loose<Policy>({
    id: text(),
    serial: z.int(),
    price: z.number(),
    plate: z.nullable(text()),
    sum: decimal(),
    issuedOn: date(),
    createdAt: instant(),
  }),
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
  response: {
    201: loose<Policy>({
      id: text(),
      serial: z.int(),
      price: z.number(),
      plate: z.nullable(text()),
      sum: decimal(),
      issuedOn: date(),
      createdAt: instant(),
    }),
  },
  idempotency: "reconcile",
  insurerId: "/id",
  settleAfterMs: 1_000,
  reconcile: lookup,
  same: ["/plate"],
});

function faultsOf(change: Partial<Endpoint>): readonly string[] {
  return reconcileFaults({ ...createPolicy, ...change }, { listPolicies, createPolicy });
}

describe("a reconciliation query", () => {
  it("a reconciliation query is accepted if it can be built and returns the required fields, also nullable ones", () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ insurerId: "/serial" })).toEqual([]);
  });

  it.each<[string, Partial<Endpoint>, string]>([
    [
      "compares a number with a text",
      { same: ["/sum"] },
      "its reconciliation compares /sum, which is a number in the body and a string in an item of listPolicies",
    ],
    [
      "takes a day for an instant",
      { reconcile: { ...lookup, createdAt: "/issuedOn" } },
      "an item of listPolicies has a /issuedOn that is no date-time, which its reconciliation needs",
    ],
    [
      "takes an amount for an identifier",
      { insurerId: "/price" },
      "its answer has a /price that is no string or integer, which its reconciliation needs",
    ],
    [
      "leaves out what the search needs",
      { reconcile: { ...lookup, parameters: {} } },
      "its reconciliation listPolicies needs customer, and `parameters` has no value for it",
    ],
    [
      "sets what the gateway sets",
      { reconcile: { ...lookup, parameters: { ...lookup.parameters, start: { from: "/sum" } } } },
      "its reconciliation listPolicies has no parameter start",
    ],
    [
      "compares what every object has",
      { same: ["/constructor"] },
      "its body has no /constructor, which its reconciliation needs",
    ],
  ])("a reconciliation query that %s is a fault", (_, change, fault) => {
    expect(faultsOf(change)).toContain(fault);
  });
});

describe("a reconciliation by a search below a tenant", () => {
  const params = strict<{ tenant: string }>({ tenant: text() });
  const below = { ...listPolicies, path: "/{tenant}/policies", params };
  const from = (tenant: string): Partial<Endpoint> => ({
    path: "/{tenant}/policies",
    params,
    reconcile: { ...lookup, parameters: { ...lookup.parameters, tenant: { from: tenant } } },
  });
  const faultsBelow = (change: Partial<Endpoint>): readonly string[] =>
    reconcileFaults({ ...createPolicy, ...change }, { listPolicies: below });

  it("has no fault when the tenant comes from the submission's path or its body", () => {
    expect(faultsBelow(from("/path/tenant"))).toEqual([]);
    expect(faultsBelow(from("/plate"))).toEqual([]);
  });

  it("has one when the submission has no such parameter, or has it twice", () => {
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

describe("a reconciliation by a search with a body", () => {
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

  it("must say where every required member comes from", () => {
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
