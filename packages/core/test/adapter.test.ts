import { describe, expect, it } from "vitest";
import { declared } from "../src/adapter/index.ts";
import {
  createPolicy,
  downloadTerms,
  policyBody,
  readPolicy,
  searchPolicies,
} from "./harness/declarations.ts";

describe("the adapter of an insurer that speaks the declared contract", () => {
  it("writes method, path, query and what it accepts", () => {
    const nothing = { params: {}, query: {}, body: undefined };
    expect(declared.request(readPolicy, { ...nothing, params: { policyId: "M/1" } }, null)).toEqual(
      {
        method: "GET",
        path: "/policies/M%2F1",
        headers: { accept: "application/json, application/problem+json" },
      },
    );
    const query = { clientAfm: "123456789", start: 1, limit: 20 };
    expect(declared.request(searchPolicies, { ...nothing, query }, null)).toMatchObject({
      path: "/policies?clientAfm=123456789&start=1&limit=20",
    });
    expect(
      declared.request(downloadTerms, { ...nothing, query: { policyId: "M-1" } }, null),
    ).toEqual({
      method: "GET",
      path: "/terms?policyId=M-1",
      headers: { accept: "application/pdf, application/problem+json" },
    });
  });

  it("writes the body as JSON, and our id beside it", () => {
    const input = { params: {}, query: {}, body: policyBody };
    expect(declared.request(createPolicy, input, "our-id")).toEqual({
      method: "POST",
      path: "/policies",
      headers: {
        accept: "application/json, application/problem+json",
        "content-type": "application/json",
        "idempotency-key": "our-id",
      },
      body: JSON.stringify(policyBody),
    });
  });

  it("gives every answer as it came", () => {
    const answer = { status: 418, mediaType: "text/html", text: "<h1>" };
    expect(declared.answer(createPolicy, answer)).toBe(answer);
  });
});
