import { describe, expect, it } from "vitest";
import { lookup, read } from "../../src/contract/index.ts";
import { contractVersion, type EndpointKind, kindPolicies } from "../../src/runtime.ts";
import { strict, text } from "../../src/schema/index.ts";
import {
  cancelPolicy,
  createPolicy,
  downloadTerms,
  listBrands,
  policy,
  policyRequest,
  providerM,
  searchPolicies,
} from "../harness/declarations.ts";
import { answer, refusalOf } from "../harness/refused.ts";

const params = strict<{ id: string }>({ id: text() });

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
    const provider = "provider-m";
    const response = { 200: answer };
    const endpoints = {
      foreign: lookup<{ response: { code: string } }>({
        provider: "provider-z",
        path: "/foreign",
        response,
      }),
      first: lookup<{ response: { code: string } }>({ provider, path: "/same", response }),
      second: lookup<{ response: { code: string } }>({ provider, path: "/same", response }),
      withBody: { ...listBrands, path: "/body", body: policyRequest },
      wrongMethod: { ...listBrands, path: "/method", method: "POST" },
      withoutParams: lookup<{ response: { code: string } }>({
        provider,
        path: "/things/{id}",
        response,
      }),
      needlessParams: read<{ params: { id: string }; response: { code: string } }>({
        provider,
        path: "/needless",
        params,
        response,
      }),
      redirect: lookup<{ response: { code: string } }>({
        provider,
        path: "/redirect",
        response: { 302: answer },
      }),
      silent: lookup<{ response: { code: string } }>({ provider, path: "/silent", response: {} }),
      badPath: lookup<{ response: { code: string } }>({ provider, path: "no slash", response }),
      lost: {
        ...createPolicy,
        path: "/lost",
        reconcile: { ...createPolicy.reconcile, endpoint: "nowhere" },
      },
      misled: {
        ...createPolicy,
        path: "/misled",
        reconcile: { ...createPolicy.reconcile, endpoint: "first" },
      },
      blind: { ...cancelPolicy, path: "/blind/{policyId}", idempotency: "reconcile" },
      hasty: { ...createPolicy, path: "/hasty", settleAfterMs: Number.NaN },
      idle: { ...listBrands, path: "/idle", insurerId: "/code" },
      vague: {
        ...createPolicy,
        path: "/vague",
        idempotency: "none",
        insurerId: "policyId",
        settleAfterMs: 1.5,
        reconcile: { endpoint: "needlessParams", parameters: {}, createdAt: "" },
      },
      uncompared: { ...createPolicy, path: "/uncompared", same: undefined },
      changed: { ...createPolicy, method: "PUT", path: "/changed/{id}", params, creates: false },
      perhaps: { ...createPolicy, path: "/perhaps/{id}", params },
      unplaced: { ...createPolicy, path: "/unplaced", same: ["/startDate", "startDate", "/a~2"] },
      halved: { ...createPolicy, path: "/halved", insurerId: undefined, idempotency: "once" },
      nothing: { helper: true },
    };
    expect(refusalOf(endpoints).split("\n")).toEqual([
      "foreign: its `provider` must be provider-m, not provider-z",
      "second and first are both GET /same",
      "withBody: a GET must not have a body",
      "wrongMethod: a lookup cannot be POST",
      "withoutParams: parameters in the path need `params`, and `params` needs parameters in the path",
      "needlessParams: parameters in the path need `params`, and `params` needs parameters in the path",
      "redirect: `response` must have only success statuses (200 to 299)",
      "silent: it must declare a success status",
      "badPath: the path no slash must be segments or {parameters}, beginning with /; a parameter is a letter, then letters, digits, _ and -, one in a segment",
      "lost: its reconciliation nowhere must be a search of the same provider",
      "misled: its reconciliation first must be a search of the same provider",
      'blind: `idempotency: "reconcile"` needs a `reconcile`',
      "hasty: `settleAfterMs` must be a whole number of milliseconds, more than 0",
      "hasty: its reconciliation searchPolicies must be a search of the same provider",
      "idle: only a submission has `insurerId`",
      'vague: a `reconcile` needs `idempotency: "reconcile"` or `"native"`',
      "vague: `settleAfterMs` must be a whole number of milliseconds, more than 0",
      "vague: `insurerId` policyId must be a JSON Pointer",
      "vague: its reconciliation needlessParams must be a search of the same provider",
      "vague: `reconcile` needs `parameters` for the search, and `same` for the comparison",
      'vague: its reconciliation has "", which must be a JSON Pointer',
      "uncompared: its reconciliation searchPolicies must be a search of the same provider",
      "uncompared: `reconcile` needs `parameters` for the search, and `same` for the comparison",
      "changed: only an endpoint with `creates: true` may have `reconcile`: a list does not prove which call changed an item",
      "changed: its reconciliation searchPolicies must be a search of the same provider",
      "perhaps: `reconcile` needs `creates: true` if the path has parameters: the call may change the item that they name",
      "perhaps: its reconciliation searchPolicies must be a search of the same provider",
      'unplaced: `same` has "startDate", which must be a JSON Pointer',
      'unplaced: `same` has "/a~2", which must be a JSON Pointer',
      "unplaced: its reconciliation searchPolicies must be a search of the same provider",
      'halved: `idempotency` must be "native", "reconcile" or "none"',
      'halved: a `reconcile` needs `idempotency: "reconcile"` or `"native"`',
      "halved: a `reconcile` needs `settleAfterMs` and `insurerId`",
      "halved: its reconciliation searchPolicies must be a search of the same provider",
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
