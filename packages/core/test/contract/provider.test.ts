import { describe, expect, it } from "vitest";
import { contractVersion, type EndpointKind, kindPolicies } from "../../src/runtime.ts";
import {
  createPolicy,
  downloadTerms,
  listBrands,
  policy,
  policyRequest,
  providerM,
  searchPolicies,
} from "../harness/declarations.ts";
import { refusalOf } from "../harness/refused.ts";

describe("endpoint declarations", () => {
  it("an endpoint's declaration is immutable and has the default method of its kind", () => {
    // Object.entries omits the property that has a symbol as its name: the client's code for the endpoint's kind.
    expect(Object.fromEntries(Object.entries(createPolicy))).toEqual({
      kind: "submission",
      method: "POST",
      provider: "provider-m",
      path: "/policies",
      body: policyRequest,
      response: { 201: policy },
      idempotency: "reconcile",
      reconcile: {
        endpoint: "searchPolicies",
        parameters: { clientAfm: { from: "/holder/afm" } },
        createdAt: "/createdAt",
      },
      same: ["/startDate", "/endDate"],
      settleAfterMs: 60_000,
      insurerId: "/policyId",
    });
    expect(Object.isFrozen(createPolicy)).toBe(true);
  });

  it.each<[EndpointKind, readonly string[], boolean]>([
    ["lookup", ["GET"], false],
    ["read", ["GET", "POST"], false],
    ["search", ["GET", "POST"], false],
    ["document", ["GET", "POST"], false],
    ["quote", ["POST", "GET"], false],
    ["submission", ["POST", "PUT", "PATCH", "DELETE"], true],
  ])(
    "an endpoint of the kind %s may have the methods %j, and can change something at the insurer: %s",
    (kind, methods, acts) => {
      expect(kindPolicies[kind]).toMatchObject({ methods, actsAtInsurer: acts });
    },
  );

  it("a search is declared with the method GET and a page of items as the answer 200", () => {
    expect(searchPolicies).toMatchObject({ kind: "search", method: "GET" });
    expect(Object.keys(searchPolicies.response)).toEqual(["200"]);
  });

  it("a document is declared with its file type and file name, and without a JSON answer", () => {
    expect(downloadTerms.files).toMatchObject([{ mediaType: "application/pdf", extension: "pdf" }]);
    expect(downloadTerms.fileName).toBe("terms");
    expect(downloadTerms.response).toEqual({});
  });
});

describe("provider declarations", () => {
  it("a declared provider is immutable, and contains the contract version and the endpoints by name", () => {
    expect(providerM).toMatchObject({ contract: contractVersion, id: "provider-m" });
    expect(providerM.endpoints.listBrands).toBe(listBrands);
    expect(Object.isFrozen(providerM)).toBe(true);
    expect(Object.isFrozen(providerM.endpoints)).toBe(true);
  });

  it("the declaration check reports all faults of a provider together, each with the endpoint's name", () => {
    const endpoints = {
      foreign: { ...listBrands, provider: "provider-z", path: "/foreign" },
      first: listBrands,
      second: listBrands,
      wrong: { ...listBrands, path: "/wrong", method: "POST", insurerId: "/code" },
      nothing: { helper: true },
    };
    expect(refusalOf(endpoints).split("\n")).toEqual([
      "foreign: its `provider` must be provider-m, not provider-z",
      "second and first are both GET /brands",
      "wrong: a lookup cannot be POST",
      "wrong: only a submission has `insurerId`",
      "nothing: it must be an endpoint",
    ]);
  });

  it("the declaration check refuses two submissions that use the same reconciliation search but compare different fields", () => {
    const { parameters } = createPolicy.reconcile ?? {};
    const endpoints = {
      searchPolicies,
      createPolicy,
      renewPolicy: { ...createPolicy, path: "/renewals" },
      offerPolicy: { ...createPolicy, path: "/offers", same: ["/startDate"] },
      movePolicy: {
        ...createPolicy,
        path: "/moves",
        reconcile: {
          ...createPolicy.reconcile,
          parameters: { ...parameters, more: { from: "/a" } },
        },
      },
    };
    const faults = refusalOf(endpoints).split("\n");
    const pairs = faults.flatMap((fault) => {
      const [, one, other] =
        /^(\w+): its reconciliation searchPolicies is also that of (\w+):/.exec(fault) ?? [];
      return one === undefined ? [] : [`${one} ${other}`];
    });
    expect(pairs).toEqual([
      "createPolicy offerPolicy",
      "createPolicy movePolicy",
      "renewPolicy offerPolicy",
      "renewPolicy movePolicy",
      "offerPolicy createPolicy",
      "offerPolicy renewPolicy",
      "offerPolicy movePolicy",
      "movePolicy createPolicy",
      "movePolicy renewPolicy",
      "movePolicy offerPolicy",
    ]);
  });

  it("the declaration check refuses `settings` that are not a schema", () => {
    for (const settings of [{ tenant: "acme" }, null, "acme"])
      expect(refusalOf({}, "provider-m", { settings })).toBe("`settings` must be a schema");
    expect(refusalOf({}, "provider-m", { settings: policyRequest })).toBe("accepted");
  });

  it("a provider may declare the same path with several methods", () => {
    expect(refusalOf({ createPolicy, searchPolicies })).toBe("accepted");
  });

  it.each(["Provider-M", "", "provider/m", "1provider", "provider m"])(
    "the declaration check refuses the provider id %j",
    (id) => {
      expect(refusalOf({}, id)).toBe(`the id ${id} must be lower-case letters, digits and dashes`);
    },
  );
});
