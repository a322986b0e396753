import { describe, expect, it } from "vitest";
import { type Gateway, ProblemError, ResponseInvalidError } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import {
  cancelPolicy,
  createPolicy,
  issuedPolicy,
  listBrands,
  policyBody,
} from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { json, problem, raw } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

// A status that passes would be tried again.
const html = raw("<h1>Server Error</h1>", "text/html", 500, { "x-request-id": "req-9" });

/** One call of every policy that matters here: safe to repeat, and not. */
const lookup = (gateway: Gateway): Promise<unknown> => gateway.call(listBrands);
const submission = (gateway: Gateway): Promise<unknown> =>
  gateway.call(createPolicy, { body: policyBody });

it("an answer that is neither a success nor a problem is not the gateway's", async () => {
  for (const status of [300, 302, 399]) {
    const server = await scriptedServer(raw("{}", "application/json", status));
    const failure = await failureOf(lookup(connect(server.address)));
    expect(ResponseInvalidError.isInstance(failure)).toBe(true);
    expect(String(failure)).toContain(`The status ${status} came without a problem.`);
  }
});

describe("a problem", () => {
  it("becomes an error with all that it says", async () => {
    const server = await scriptedServer(
      problem(
        {
          type: "https://gateway.example/errors/DUPLICATE_APPLICATION",
          status: 409,
          code: "DUPLICATE_APPLICATION",
          detail: "The same was submitted before.",
          requestId: "req-5",
          outcome: "not_sent",
          retry: "after_check",
          errors: [{ pointer: "/holder/afm", code: "FORMAT", message: "must be 9 digits" }],
          reconciliation: {
            href: "/submissions/S-1",
            endpoint: "searchPolicies",
            parameters: { clientAfm: { from: "/holder/afm" } },
          },
          insurerId: "M-000001",
        },
        { "retry-after": "7" },
      ),
    );
    const failure = await failureOf(submission(connect(server.address)));
    expect(ProblemError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({
      name: "ProblemError",
      type: "https://gateway.example/errors/DUPLICATE_APPLICATION",
      status: 409,
      code: "DUPLICATE_APPLICATION",
      outcome: "not_sent",
      retry: "after_check",
      requestId: "req-5",
      provider: "provider-m",
      endpoint: "POST /policies",
      retryAfterSeconds: 7,
      errors: [{ pointer: "/holder/afm", code: "FORMAT", message: "must be 9 digits" }],
      reconciliation: {
        href: "/submissions/S-1",
        endpoint: "searchPolicies",
        parameters: { clientAfm: { from: "/holder/afm" } },
      },
      insurerId: "M-000001",
      message:
        "provider-m POST /policies: DUPLICATE_APPLICATION. The same was submitted before. /holder/afm must be 9 digits.",
    });
    expect(server.arrivals).toHaveLength(1);
  });

  it("has the faults of its list that are objects, with the texts that they have", async () => {
    const fault = { pointer: "/a", code: 7, message: "must be a number" };
    const errors = [null, "x", fault] as never; // as a gateway with a fault could send them
    const server = await scriptedServer(problem({ status: 422, errors }));
    expect(await failureOf(lookup(connect(server.address)))).toMatchObject({
      errors: [{ pointer: "/a", code: "INVALID", message: "must be a number" }],
    });
  });

  it("a problem without faults, waiting time, reconciliation or identifier has null or nothing in their place", async () => {
    const server = await scriptedServer(
      problem({ status: 422, code: "PROVIDER_REJECTED", outcome: "rejected", retry: "never" }),
    );
    expect(await failureOf(lookup(connect(server.address)))).toMatchObject({
      status: 422,
      outcome: "rejected",
      errors: [],
      retryAfterSeconds: null,
      reconciliation: null,
      insurerId: null,
    });
  });

  it.each([
    [
      "an address of another host",
      { reconciliation: { href: "//elsewhere.example/submissions/S-1" } },
    ],
    ["an absolute address", { reconciliation: { href: "https://elsewhere.example/" } }],
    ["an address that is none", { reconciliation: { href: 7 } }],
    ["half of a search", { reconciliation: { endpoint: "searchPolicies" } }],
    ["a reconciliation that is none", { reconciliation: "searchPolicies" }],
    ["an identifier of two lines", { insurerId: "M-1\nM-2" }],
    ["an identifier that is longer than any", { insurerId: "M".repeat(201) }],
    ["an identifier that is none", { insurerId: { policyId: "M-1" } }],
  ])("a problem with %s is taken without it", async (_, parts) => {
    const refused = { status: 422, code: "PROVIDER_REJECTED", retry: "never" } as const;
    // The type of a problem does not allow these members.
    const server = await scriptedServer(problem({ ...refused, ...(parts as object) }));
    expect(await failureOf(lookup(connect(server.address)))).toMatchObject({
      code: "PROVIDER_REJECTED",
      reconciliation: null,
      insurerId: null,
    });
  });

  it.each(["7", "M".repeat(200)])(
    "a problem with the identifier %s keeps it",
    async (insurerId) => {
      const refused = { status: 422, code: "PROVIDER_REJECTED", retry: "never" } as const;
      const server = await scriptedServer(problem({ ...refused, insurerId }));
      expect(await failureOf(lookup(connect(server.address)))).toMatchObject({ insurerId });
    },
  );

  it.each([
    ["that is no JSON", raw("<html>", "application/problem+json", 500)],
    [
      "that does not say that it is one",
      raw('{"code":"NOT_FOUND","outcome":"not_sent","retry":"never"}', "application/json", 404),
    ],
    ["that is a list", raw("[]", "application/problem+json", 500)],
    ["that is null", raw("null", "application/problem+json", 500)],
    ["without a code", problem({ status: 500, code: undefined as never })],
    ["of an unknown word as outcome", problem({ status: 500, outcome: "maybe" as never })],
    ["of an unknown word as advice", problem({ status: 500, retry: "later" as never })],
  ])("%s is an answer that cannot be used", async (_, reply) => {
    const server = await scriptedServer(reply);
    const failure = await failureOf(lookup(connect(server.address)));
    expect(ResponseInvalidError.isInstance(failure)).toBe(true);
    expect(server.arrivals).toHaveLength(1);
  });
});

describe("an answer that is not what was declared", () => {
  it.each([
    ["a proxy's page", html, 500, "req-9", []],
    ["a redirect", json({}, 302, { location: "/elsewhere" }), 302, null, []],
    ["a success that is not declared", json(issuedPolicy, 202), 202, null, []],
    ["a success that is no JSON", raw("<h1>Hi</h1>", "text/html"), 200, null, []],
    ["an empty success", raw("", "application/json"), 200, null, []],
    [
      "bytes that are no text",
      raw(Buffer.from([0x22, 0xff, 0x22]), "application/json"),
      200,
      null,
      [],
    ],
    [
      "a list of another form",
      json({ items: ["a", 1], count: 2 }),
      200,
      null,
      [{ pointer: "/items/1", code: "TYPE", message: "must be a string" }],
    ],
  ])("is an error: %s", async (_, reply, status, requestId, errors) => {
    const server = await scriptedServer(reply);
    const failure = await failureOf(lookup(connect(server.address)));
    expect(ResponseInvalidError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({
      name: "ResponseInvalidError",
      code: "RESPONSE_INVALID",
      outcome: "unknown",
      retry: "safe",
      endpoint: "GET /brands",
      status,
      requestId,
      errors,
    });
    expect(server.arrivals).toHaveLength(1);
  });

  it("is named by the fields that are wrong, of many the first five", async () => {
    const wrong = json({ items: Array.from({ length: 12 }, () => 1) });
    const listed = await failureOf(lookup(connect((await scriptedServer(wrong)).address)));
    expect(String(listed)).toContain("/items/0 must be a string.");
    expect(String(listed)).toContain("/items/4 must be a string. 7 more faults are in `errors`.");
    const other = json({ ...issuedPolicy, policyId: 7 }, 201);
    const created = await failureOf(submission(connect((await scriptedServer(other)).address)));
    expect(created).toMatchObject({ name: "OutcomeUnknownError" });
    expect(String(created)).toContain("/policyId must be a string.");
  });

  it("leaves a submission's outcome unknown, and says how to find out", async () => {
    const server = await scriptedServer(html);
    const gateway = connect(server.address);
    const created = await failureOf(submission(gateway));
    expect(created).toMatchObject({
      name: "OutcomeUnknownError",
      code: "RESPONSE_INVALID",
      retry: "same_key",
      status: 500,
      requestId: "req-9",
      cause: { name: "ResponseInvalidError", outcome: "unknown", retry: "same_key" },
    });
    expect(String(created)).toContain("or look for it with searchPolicies");
    const cancelled = await failureOf(gateway.call(cancelPolicy, { params: { policyId: "M-1" } }));
    expect(cancelled).toMatchObject({ name: "OutcomeUnknownError", reconciliation: null });
    expect(String(cancelled)).not.toContain("look it up");
    expect(server.arrivals).toHaveLength(2);
  });

  it("does not keep the connection's further calls from working", async () => {
    const server = await scriptedServer(html, json({ items: [] }));
    const gateway = connect(server.address);
    await failureOf(lookup(gateway));
    expect(await lookup(gateway)).toEqual({ items: [] });
  });
});
