import { describe, expect, it } from "vitest";
import { suggestOverlay } from "../src/suggest/suggest-overlay.ts";
import { documentFile } from "./sample.ts";

interface Suggested {
  readonly method?: "get" | "post";
  readonly path?: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly mediaType?: string;
}

/** Returns the suggested overlay for a document with one operation. */
function suggestedFor({
  mediaType,
  method = "post",
  path = "/motor",
  ...named
}: Suggested): string {
  const error = { type: "object", properties: { code: { type: "string" } } };
  const refusal = { description: "", content: { "application/json": { schema: error } } };
  const file = { type: "string", format: "binary" };
  const content = mediaType === undefined ? undefined : { [mediaType]: { schema: file } };
  const responses = { 200: { description: "", content }, 409: refusal, 422: refusal };
  const paths = { [path]: { [method]: { ...named, responses } } };
  return suggestOverlay(
    documentFile({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths }),
  );
}

/** Returns the suggested kind; `none` for an operation that the overlay leaves out. */
function kindOf(operation: Suggested): string | undefined {
  const suggested = suggestedFor(operation);
  return suggested.includes("select: false") ? "none" : /kind: (\w+)/.exec(suggested)?.[1];
}

describe("suggestions for an operation", () => {
  it.each([
    ["searchPolicies", "read"],
    ["checkVehicle", "read"],
    ["calculateQuote", "quote"],
    ["quoteMotor", "quote"],
    ["checkAndReserve", "submission"],
    ["quoteAndIssue", "submission"],
    ["purchaseQuote", "submission"],
    ["buyQuote", "submission"],
    ["convertQuoteToPolicy", "submission"],
    ["collectPremium", "submission"],
    ["declineQuote", "submission"],
    ["terminateAndCheckPolicy", "submission"],
    ["endorsePolicyList", "submission"],
    ["QuotesController_purchase", "submission"],
    ["getPolicyNumber", "submission"],
    ["QuotesController_approvalOfList", "submission"],
  ])(
    "the suggested kind of a POST operation depends on the operation's name: %s → %s",
    (operationId, kind) => {
      expect(kindOf({ operationId })).toBe(kind);
    },
  );

  it.each([
    ["/quotes/search", "read"],
    ["/quotes/{id}/reconfirm", "submission"],
    ["/referred-quotes/{id}/refer-to-underwriter", "submission"],
  ])(
    "the suggested kind of a POST operation without an `operationId` depends on the operation's path: %s → %s",
    (path, kind) => {
      expect(kindOf({ path })).toBe(kind);
    },
  );

  it.each(["Checks and renews a policy", "Finds and applies the discount"])(
    "the suggested kind of a POST operation is submission if the operation's summary mentions a change: %s",
    (summary) => {
      expect(kindOf({ operationId: "checkPolicy", summary })).toBe("submission");
    },
  );

  it.each([
    ["downloadPolicy", "document"],
    ["issuePolicyDocument", "none"],
    ["policyDocument", "none"],
  ])(
    "the suggested kind of a POST operation that returns a file depends on the operation's name: %s → %s",
    (operationId, kind) => {
      expect(kindOf({ operationId, mediaType: "application/pdf" })).toBe(kind);
    },
  );

  it.each([
    ["listOrders", "read"],
    ["issueAndGetPolicy", "none"],
    ["getOrCreateCustomer", "none"],
  ])(
    "the suggested kind of a GET operation depends on the operation's name: %s → %s",
    (operationId, kind) => {
      expect(kindOf({ method: "get", operationId })).toBe(kind);
    },
  );

  it("an operation's suggested kind is document with `notReady: 202` if the insurer may answer 202 before the file exists", () => {
    const content = { "application/pdf": {} };
    const responses = { 200: { description: "", content }, 202: { description: "" } };
    const from = documentFile({
      openapi: "3.1.0",
      info: { title: "A", version: "1" },
      paths: { "/policy.pdf": { get: { responses } } },
    });
    expect(suggestOverlay(from)).toContain("kind: document\n        notReady: 202\n");
  });

  it("the suggested overlay has no `failures` row for 409, because the insurer may have accepted the same application before", () => {
    const statuses = suggestedFor({ operationId: "search" }).matchAll(/status: (\d+)/g);
    expect([...statuses].map(([, status]) => status)).toEqual(["422"]);
  });

  it("the suggested overlay has `failures` rows only for the statuses whose answers have the most common error format", () => {
    const flat = { type: "object", properties: { code: { type: "string" } } };
    const nested = { type: "object", properties: { error: flat } };
    const refusal = (schema: object): object => ({
      description: "",
      content: { "application/json": { schema } },
    });
    const responses = { 400: refusal(nested), 404: refusal(flat), 422: refusal(nested) };
    const from = documentFile({
      openapi: "3.1.0",
      info: { title: "A", version: "1" },
      paths: { "/a": { get: { responses } } },
    });
    const rows = suggestOverlay(from).matchAll(/status: (\d+)\n(?: .*\n)*? *at: (\S+)/g);
    expect([...rows].map(([, status, at]) => [status, at])).toEqual([
      ["400", "/error/code"],
      ["422", "/error/code"],
    ]);
  });
});
