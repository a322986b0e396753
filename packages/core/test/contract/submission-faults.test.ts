import { describe } from "vitest";
import { strict, text } from "../../src/schema/index.ts";
import { listBrands, searchPolicies } from "../harness/declarations.ts";
import { answer, type Declaration, reading, testDeclarations } from "../harness/refused.ts";

const params = strict<{ id: string }>({ id: text() });

describe("submission declarations", () => {
  const acting = { kind: "submission", method: "POST" };
  const keyed = (keyAt: object): object => ({ ...acting, keyAt });
  const exactly = "`keyAt` must have exactly one of `header`, `query` and `body`";
  const closable = "`closedWhen` needs a JSON Pointer (`at`) and values (`is`)";
  const milliseconds = "`settleAfterMs` must be a whole number of milliseconds, more than 0";
  testDeclarations("the declaration of a submission", [
    ["only a kind and a method", acting],
    ...["native", "none"].map(
      (idempotency): Declaration => [`idempotency "${idempotency}"`, { ...acting, idempotency }],
    ),
    [
      "a read with settings of a submission",
      { idempotency: "none", creates: false, sameContent: "once" },
      "only a submission has `idempotency`, `creates`, `sameContent`",
    ],
    ["a settle time of 0 ms", { ...acting, settleAfterMs: 0 }, milliseconds],
    ["a negative settle time", { ...acting, settleAfterMs: -1 }, milliseconds],
    [
      "a settle time above the largest safe integer",
      { ...acting, settleAfterMs: 2 ** 53 },
      milliseconds,
    ],
    ...["once", "open", "none"].map(
      (sameContent): Declaration => [`sameContent "${sameContent}"`, { ...acting, sameContent }],
    ),
    [
      "an unknown value of `idempotency`",
      { ...acting, idempotency: "once" },
      '`idempotency` must be "native", "reconcile" or "none"',
    ],
    [
      '`idempotency: "reconcile"` without `reconcile`',
      { ...acting, idempotency: "reconcile" },
      '`idempotency: "reconcile"` needs a `reconcile`',
    ],
    [
      "an identifier whose place is not a JSON Pointer",
      { ...acting, insurerId: "policyId" },
      "`insurerId` policyId must be a JSON Pointer",
    ],
    [
      "an unknown value of `sameContent`",
      { ...acting, sameContent: "twice" },
      '`sameContent` must be "once", "open" or "none"',
    ],
    [
      "`creates: true` with the insurer's identifier",
      { ...acting, creates: true, insurerId: "/id" },
    ],
    ["`creates: false`", { ...acting, creates: false }],
    [
      "`creates: true` without the insurer's identifier",
      { ...acting, creates: true },
      "`creates` needs `insurerId`",
    ],
    [
      "`closedWhen` with a field and a value",
      { ...acting, closedWhen: { at: "/status", is: ["DECLINED"] } },
    ],
    [
      "`closedWhen` with a field that is not a JSON Pointer",
      { ...acting, closedWhen: { at: "status", is: ["A"] } },
      closable,
    ],
    [
      "`closedWhen` without a value",
      { ...acting, closedWhen: { at: "/status", is: [] } },
      closable,
    ],
    ["an idempotency key in the header idempotency-key", keyed({ header: "idempotency-key" })],
    ["an idempotency key in another header", keyed({ header: "x-key" })],
    [
      "an idempotency key in a header with capitals",
      keyed({ header: "X-Key" }),
      "`keyAt`: X-Key must be a header's name in lower case",
    ],
    ["an idempotency key in the query", keyed({ query: "key" })],
    [
      "an idempotency key in the query, without a parameter name",
      keyed({ query: "" }),
      "`keyAt` needs the name of a parameter",
    ],
    ["an idempotency key in the body", { ...keyed({ body: "/key" }), body: answer }],
    [
      "an idempotency key in the body, not at a JSON Pointer",
      { ...keyed({ body: "key" }), body: answer },
      "`keyAt` needs a JSON Pointer into a JSON body",
    ],
    [
      "an idempotency key in a multipart form",
      { ...keyed({ body: "/key" }), body: { media: { "multipart/form-data": answer } } },
      "`keyAt` needs a JSON Pointer into a JSON body",
    ],
    [
      "an idempotency key in a reserved header",
      keyed({ header: "authorization" }),
      "`keyAt`: authorization is reserved and must not be declared",
    ],
    [
      "an idempotency key in the body of a submission without a body",
      keyed({ body: "/key" }),
      "`keyAt` needs a JSON Pointer into a JSON body",
    ],
    [
      "an idempotency key's place in a read",
      { keyAt: { header: "x-key" } },
      "only a submission has `keyAt`",
    ],
    ["an idempotency key without a place", keyed({}), exactly],
    ["an idempotency key at two places", keyed({ header: "x-key", query: "key" }), exactly],
    ["an idempotency key in a cookie", keyed({ cookie: "key" }), exactly],
    ["an idempotency key whose header name is a number", keyed({ header: 1 }), exactly],
  ]);

  const reconciling = {
    ...acting,
    idempotency: "reconcile",
    insurerId: "/policyId",
    settleAfterMs: 1,
    same: ["/startDate"],
    reconcile: {
      endpoint: "searchPolicies",
      parameters: { clientAfm: { from: "/afm" } },
      createdAt: "/createdAt",
    },
  };
  const { reconcile } = reconciling;
  const withTenant = { ...reconcile.parameters, tenantId: { from: "/tenant" } };
  const found = {
    ...searchPolicies,
    path: "/{tenantId}/policies",
    params: strict<{ tenantId: string }>({ tenantId: text() }),
  };
  const needed = "a `reconcile` needs `settleAfterMs` and `insurerId`";
  testDeclarations(
    "the declaration of a submission's reconciliation",
    [
      ["a complete reconciliation", {}],
      ["native idempotency", { idempotency: "native" }],
      [
        "no idempotency",
        { idempotency: "none" },
        'a `reconcile` needs `idempotency: "reconcile"` or `"native"`',
      ],
      ["no settle time", { settleAfterMs: undefined }, needed],
      ["no identifier of the insurer", { insurerId: undefined }, needed],
      ["a path with a parameter, and `creates: true`", { path: "/x/{id}", params, creates: true }],
      [
        "a path with a parameter, without `creates`",
        { path: "/x/{id}", params },
        "`reconcile` needs `creates: true` if the path has parameters: the call may change the item that they name",
      ],
      [
        "a PUT",
        { method: "PUT" },
        "only an endpoint with `creates: true` may have `reconcile`: a list does not prove which call changed an item",
      ],
      ["a PUT with `creates: true`", { method: "PUT", creates: true }],
      [
        "a parameter in the search's body that is not a JSON Pointer",
        { reconcile: { ...reconcile, parameters: { "/a~2": { from: "/afm" } } } },
        "its reconciliation searchPolicies has the parameter /a~2, which must be a JSON Pointer",
      ],
      [
        "a parameter in the search's body",
        { reconcile: { ...reconcile, parameters: { "/a": { from: "/afm" } } } },
      ],
      [
        "a parameter whose origin is not a JSON Pointer",
        { reconcile: { ...reconcile, parameters: { clientAfm: { from: "afm" } } } },
        'its reconciliation has "afm", which must be a JSON Pointer',
      ],
      ...["nowhere", "listBrands"].map(
        (endpoint): Declaration => [
          `a reconciliation by ${endpoint}, which is not a search`,
          { reconcile: { ...reconcile, endpoint } },
          `its reconciliation ${endpoint} must be a search of the same provider`,
        ],
      ),
      [
        "a search with a path parameter that has a value",
        { reconcile: { ...reconcile, endpoint: "found", parameters: withTenant } },
      ],
      [
        "a search with a path parameter that has no value",
        { reconcile: { ...reconcile, endpoint: "found" } },
        "its reconciliation found has {tenantId} in its path, and `parameters` has no value for it",
      ],
      [
        "no match fields",
        { same: undefined },
        "`reconcile` needs `parameters` for the search, and `same` for the comparison",
      ],
      [
        "match fields that are not JSON Pointers",
        { same: ["/startDate", "startDate", "/a~2"] },
        '`same` has "startDate", which must be a JSON Pointer',
        '`same` has "/a~2", which must be a JSON Pointer',
      ],
      [
        "an empty `reconcile`",
        { reconcile: {} },
        "its reconciliation undefined must be a search of the same provider",
        "`reconcile` needs `parameters` for the search, and `same` for the comparison",
        'its reconciliation has "", which must be a JSON Pointer',
      ],
    ],
    {
      base: { ...reading("/created"), ...reconciling },
      siblings: { searchPolicies, listBrands, found },
    },
  );
});
