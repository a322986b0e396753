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

// A temporary status, such as 503, would cause a retry.
const html = raw("<h1>Server Error</h1>", "text/html", 500, { "x-request-id": "req-9" });

/** Makes a call that is safe to repeat. */
const lookup = (gateway: Gateway): Promise<unknown> => gateway.call(listBrands);
/** Makes a submission, which is safe to repeat only with its key. */
const submission = (gateway: Gateway): Promise<unknown> =>
  gateway.call(createPolicy, { body: policyBody });

it("the client throws a ResponseInvalidError if an answer is neither a success nor a problem", async () => {
  for (const status of [300, 302, 399]) {
    const server = await scriptedServer(raw("{}", "application/json", status));
    const failure = await failureOf(lookup(connect(server.address)));
    expect(ResponseInvalidError.isInstance(failure)).toBe(true);
    expect(String(failure)).toContain(`The answer has the status ${status} without a problem.`);
  }
});

describe("problems", () => {
  it("the client's error has every field of the gateway's problem", async () => {
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

  it("the client's error omits faults that are not objects, and has the code INVALID instead of a code that is not a text", async () => {
    const fault = { pointer: "/a", code: 7, message: "must be a number" };
    const errors = [null, "x", fault] as never; // such as a faulty gateway could send
    const server = await scriptedServer(problem({ status: 422, errors }));
    expect(await failureOf(lookup(connect(server.address)))).toMatchObject({
      errors: [{ pointer: "/a", code: "INVALID", message: "must be a number" }],
    });
  });

  it("the client's error has `null` or an empty list for each optional field that the problem omits", async () => {
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
    ["an address that is not a text", { reconciliation: { href: 7 } }],
    ["a search without parameters", { reconciliation: { endpoint: "searchPolicies" } }],
    ["a reconciliation that is not an object", { reconciliation: "searchPolicies" }],
    ["an identifier of two lines", { insurerId: "M-1\nM-2" }],
    ["an identifier of more than 200 characters", { insurerId: "M".repeat(201) }],
    ["an identifier that is not a text", { insurerId: { policyId: "M-1" } }],
  ])("the client's error omits an invalid part of the problem: %s", async (_, parts) => {
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
    "the client's error has the insurer's identifier that the problem contains: %s",
    async (insurerId) => {
      const refused = { status: 422, code: "PROVIDER_REJECTED", retry: "never" } as const;
      const server = await scriptedServer(problem({ ...refused, insurerId }));
      expect(await failureOf(lookup(connect(server.address)))).toMatchObject({ insurerId });
    },
  );

  it.each([
    ["text that is not JSON", raw("<html>", "application/problem+json", 500)],
    [
      "a problem with the media type application/json",
      raw('{"code":"NOT_FOUND","outcome":"not_sent","retry":"never"}', "application/json", 404),
    ],
    ["a list", raw("[]", "application/problem+json", 500)],
    ["`null`", raw("null", "application/problem+json", 500)],
    ["a problem without a code", problem({ status: 500, code: undefined as never })],
    ["a problem with an unknown outcome", problem({ status: 500, outcome: "maybe" as never })],
    ["a problem with an unknown `retry`", problem({ status: 500, retry: "later" as never })],
  ])(
    "the client throws a ResponseInvalidError if an error answer is not a valid problem: %s",
    async (_, reply) => {
      const server = await scriptedServer(reply);
      const failure = await failureOf(lookup(connect(server.address)));
      expect(ResponseInvalidError.isInstance(failure)).toBe(true);
      expect(server.arrivals).toHaveLength(1);
    },
  );
});

describe("answers that break their declaration", () => {
  it.each([
    ["a proxy's page", html, 500, "req-9", []],
    ["a redirect", json({}, 302, { location: "/elsewhere" }), 302, null, []],
    ["a success with an undeclared status", json(issuedPolicy, 202), 202, null, []],
    ["a success that is not JSON", raw("<h1>Hi</h1>", "text/html"), 200, null, []],
    ["an empty success", raw("", "application/json"), 200, null, []],
    [
      "a success that is not UTF-8",
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
  ])(
    "the client throws a ResponseInvalidError if an answer breaks its declaration: %s",
    async (_, reply, status, requestId, errors) => {
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
    },
  );

  it("the message of a ResponseInvalidError names at most the first five wrong fields", async () => {
    const wrong = json({ items: Array.from({ length: 12 }, () => 1) });
    const listed = await failureOf(lookup(connect((await scriptedServer(wrong)).address)));
    expect(String(listed)).toContain("/items/0 must be a string.");
    expect(String(listed)).toContain("/items/4 must be a string. 7 more faults are in `errors`.");
    const other = json({ ...issuedPolicy, policyId: 7 }, 201);
    const created = await failureOf(submission(connect((await scriptedServer(other)).address)));
    expect(created).toMatchObject({ name: "OutcomeUnknownError" });
    expect(String(created)).toContain("/policyId must be a string.");
  });

  it("a submission has the outcome `unknown`, and the error names a way to find the outcome, if the answer is unusable", async () => {
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

  it("a call succeeds even if the previous call received an unusable answer", async () => {
    const server = await scriptedServer(html, json({ items: [] }));
    const gateway = connect(server.address);
    await failureOf(lookup(gateway));
    expect(await lookup(gateway)).toEqual({ items: [] });
  });
});
