import type { Endpoint } from "@insurance-gateway/core/contract";
import { usualPaging } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { type Adapter, type JsonReferenceQuery, jsonDialect } from "../src/index.ts";
import { callOffline } from "./harness/call-offline.ts";
import { providerWith, readPolicy, searchPolicies } from "./harness/declarations.ts";

const byReference: JsonReferenceQuery = {
  path: "/ref/{/submissionId}",
  item: [["/policyId", "/id"]],
};

/** Creates the adapter of one endpoint. The option `byReference` declares the search by a submission's ID. */
function adapterOf(
  endpoint: Endpoint,
  option: { readonly byReference?: JsonReferenceQuery } = { byReference },
): Adapter {
  return jsonDialect(providerWith({ endpoint }), {
    failures: [],
    calls: { endpoint: { method: "GET", path: "/", value: [], ...option } },
  });
}

describe("a search by reference", () => {
  it.each<[string, Endpoint]>([
    ["is not a search", readPolicy],
    ["has its own `paging`", { ...searchPolicies, paging: usualPaging }],
  ])("a dialect cannot declare `byReference` for an endpoint that %s", (_, endpoint) => {
    expect(() => adapterOf(endpoint)).toThrow(/may have `byReference`/);
  });

  it("the adapter reports that the insurer can search by a submission's ID only if the dialect declares `byReference`", () => {
    const adapters = [adapterOf(searchPolicies), adapterOf(searchPolicies, {})];
    const reports = adapters.map((adapter) => adapter.findsByReference?.(searchPolicies));
    expect(reports).toEqual([true, false]);
  });

  it.each([
    [200, { type: "value", value: { items: [{ policyId: "1" }], start: 1, limit: 1, total: 1 } }],
    [404, { type: "refusal", mediaType: "application/json", content: { id: "1" }, faults: [] }],
  ])(
    "a search by a submission's ID returns a page with the single item, or the insurer's refusal: status %i",
    async (status, expected) => {
      const insurer = { status, text: '{"id":"1"}' };
      const context = { submissionId: "our-id" };
      const adapter = adapterOf(searchPolicies);
      const { answer, sent } = await callOffline(adapter, searchPolicies, {}, insurer, context);
      expect(sent).toMatchObject([{ method: "GET", path: "/ref/our-id" }]);
      expect(answer).toEqual({ ...expected, status });
    },
  );
});
