import { describe, expect, it } from "vitest";
import { exchangesOf, readExchanges } from "../src/exchange.ts";
import { filesOf } from "../src/files.ts";
import { operationOf, Refusal } from "../src/operation.ts";
import { refuseTaken } from "../src/taken.ts";
import { har, postman } from "./harness/recordings.ts";

/** Returns the files that the command writes for a call of a recording. */
function recorded(call: string, recording: string, options = {}): ReadonlyMap<string, string> {
  const operation = operationOf("provider-x", call, options);
  return filesOf(operation, exchangesOf(readExchanges("file", recording), operation));
}

const claims = recorded("POST /policies/{policyId}/claims", har, { name: "createClaim" });
const file = (path: string): string => claims.get(path) ?? "";

describe("an endpoint inferred from a HAR file", () => {
  it("the inferred schema marks a field optional if a recorded exchange lacks the field, and nullable if a recorded value is null", () => {
    const schema = file("src/schemas/create-claim.ts").replaceAll(/\s+/g, " ");
    expect(schema).toContain(
      "interface CreateClaimRequest { afm: string; date?: string; damage: CreateClaimRequestDamageItem[]; urgent?: boolean; }",
    );
    expect(schema).toContain("date: z.exactOptional(date())");
    expect(schema).toContain(
      "interface CreateClaimRequestDamageItem { part: string; cost: number | null; note?: string; }",
    );
    expect(schema).toContain(
      "interface CreateClaimResponse { claimId: string; state: string | null; }",
    );
    expect(schema).toContain("interface CreateClaimParams { policyId: string; }");
    expect(schema).toContain("interface CreateClaimQuery { lang: string; }");
  });

  it("the endpoint that is inferred from a HAR file has the recorded success status", () => {
    expect(file("src/endpoints/create-claim.ts")).toContain(
      "response: { 201: createClaimResponse }",
    );
    const empty = recorded("GET /nothing", har).get("src/endpoints/get-nothing.ts");
    expect(empty).toContain("Read<{ response: ByStatus<{ 204: undefined }> }>");
  });

  it("the files that new:endpoint writes contain no recorded credential, tax number or name", () => {
    const all = [...claims.values(), ...recorded("GET /auto/models", postman).values()].join("\n");
    expect(all).not.toMatch(/SECRET|123456783|C-123|P-77|Door|Κάτι|api_key|[Cc]ookie/);
    expect(file("src/examples/create-claim.ts")).toContain(
      '"body":{"afm":"111111111","date":"2026-01-15","damage":[{"part":"Aaaa","cost":11.1}]}',
    );
  });
});

describe("an endpoint inferred from a Postman collection", () => {
  it("the inferred lookup has the recorded query parameters and keeps the recorded values of the answer", () => {
    const models = recorded("GET /auto/models", postman, { kind: "lookup", name: "listModels" });
    expect(models.get("src/endpoints/list-models.ts")).toContain(
      "Lookup<{ query: ListModelsQuery;",
    );
    expect(models.get("src/examples/list-models.ts")).toContain(
      'response: {"items":[{"code":"YARIS","name":"Yaris"}]}',
    );
  });
});

describe("endpoints that cannot be written", () => {
  const operation = operationOf("provider-x", "GET /auto/models", {});

  it.each([
    ["a call without a path", () => operationOf("p", "GET", {}), "Write the method and the path"],
    ["a path with a query", () => operationOf("p", "GET /a?b=c", {}), "without a query"],
    ["code in a path", () => operationOf("p", 'GET /a"+x+"', {}), "is not a call"],
    ["a kind without the method", () => operationOf("p", "PUT /a", { kind: "read" }), "not PUT"],
    ["a search", () => operationOf("p", "GET /a", { kind: "search" }), "paging cannot be inferred"],
    ["an unknown kind", () => operationOf("p", "GET /a", { kind: "lokup" }), "There is no kind"],
    ["a word of the language", () => operationOf("p", "GET /a", { name: "delete" }), "--name"],
    [
      "a file that is not a recording",
      () => readExchanges("x.har", "{}"),
      "x.har is neither a HAR",
    ],
    ["a file that is not JSON", () => readExchanges("x.har", "<"), "x.har is not JSON"],
    [
      "a call that is missing in the recording",
      () => exchangesOf(readExchanges("x.har", har), operation),
      "It has POST /v1/policies/P-77/claims, GET /v1/nothing.",
    ],
  ])("npm run new:endpoint refuses to write an endpoint for: %s", (_, attempt, words) => {
    expect(attempt).toThrow(Refusal);
    expect(attempt).toThrow(words);
  });

  it("npm run new:endpoint refuses to write an endpoint if the package already has the endpoint's file, name or insurer call", () => {
    const files = filesOf(operation, []);
    const declared = new Map([
      [
        "src/endpoints/other.ts",
        'export const other: X = read({ provider: "provider-x", path: "/auto/models" });',
      ],
    ]);
    expect(() => refuseTaken(declared, files, operation)).toThrow("GET /auto/models already");
    const twin = { ...operation, path: "/else", name: "Other" };
    expect(() => refuseTaken(declared, files, twin)).toThrow("declares other already");
    expect(() => refuseTaken(files, files, { ...operation, path: "/b", name: "b" })).toThrow(
      "exists already",
    );
  });
});
