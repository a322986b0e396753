import { describe, expect, it } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { documentFile } from "./sample.ts";
import { writtenPackage } from "./written-package.ts";

const policy = {
  type: "object",
  required: ["plate", "id", "createdAt"],
  properties: {
    plate: { type: "string" },
    id: { type: "string" },
    createdAt: { type: "string", format: "date-time" },
  },
};
const content = (schema: object): object => ({ content: { "application/json": { schema } } });
const reconcile = {
  endpoint: "listPolicies",
  parameters: { plate: { from: "/plate" } },
  createdAt: "/createdAt",
};

/** Returns a document and an overlay with a submission that has these options. */
function documentWith(facts: object): { readonly from: string; readonly overlay: string } {
  const paths = {
    "/policies": {
      post: {
        operationId: "createPolicy",
        requestBody: {
          required: true,
          ...content({
            type: "object",
            required: ["plate"],
            properties: { plate: { type: "string" } },
          }),
        },
        responses: { 201: { description: "Created", ...content(policy) } },
      },
      get: {
        operationId: "listPolicies",
        parameters: [
          { in: "query", name: "plate", schema: { type: "string" } },
          { in: "query", name: "start", schema: { type: "integer" } },
          { in: "query", name: "limit", schema: { type: "integer" } },
        ],
        responses: {
          200: {
            description: "Policies",
            ...content({ type: "object", properties: { items: { type: "array", items: policy } } }),
          },
        },
      },
    },
  };
  const submission = { insurerId: "/id", settleAfterMs: 60_000, ...facts };
  const paging = {
    style: "start",
    position: "start",
    size: { name: "limit", usual: 20 },
    items: "/items",
  };
  const on = (method: string, options: object): object => ({
    target: `$.paths['/policies'].${method}`,
    update: { "x-insurance-gateway": options },
  });
  return {
    from: documentFile({ openapi: "3.0.3", info: { title: "Test", version: "1" }, paths }),
    overlay: documentFile({
      overlay: "1.0.0",
      info: { title: "Test", version: "1" },
      actions: [on("post", submission), on("get", { kind: "search", paging })],
    }),
  };
}

describe("match fields of an imported submission", () => {
  it("the imported package declares the overlay's match fields beside the reconciliation search", async () => {
    const written = await writtenPackage({
      ...documentWith({ reconcile, same: ["/plate"] }),
      all: true,
    });
    written.remove();
    expect(written.provider.endpoints).toMatchObject({
      createPolicy: { idempotency: "reconcile", reconcile, same: ["/plate"] },
    });
    expect(written.provider.endpoints).not.toHaveProperty(["createPolicy", "reconcile", "same"]);
  });

  it("the imported package uses the normaliser that the overlay names for a match field", async () => {
    const written = await writtenPackage({
      ...documentWith({ reconcile, same: [{ at: "/plate", normaliser: "plate" }] }),
      all: true,
    });
    written.remove();
    expect(written.provider.endpoints.createPolicy?.same).toMatchObject([
      { at: "/plate", normaliser: { name: "plate" } },
    ]);
  });

  it("the importer refuses an overlay that declares match fields inside the member `reconcile`", () => {
    const files = documentWith({ reconcile: { ...reconcile, same: ["/plate"] } });
    expect(() => importProvider({ provider: "provider-x", ...files, all: true })).toThrow(/same/);
  });
});
