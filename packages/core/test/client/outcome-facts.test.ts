import { describe, expect, it } from "vitest";
import type { CancellationSignal } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { brokenMidway, json, problem, raw, reset } from "../harness/replies.ts";
import { type Reply, scriptedServer } from "../harness/scripted-server.ts";
import { signalOfWait } from "../harness/signal-of-wait.ts";

const input = { body: policyBody, idempotencyKey: "key-1" };

/** Headers that every success of a submission has. */
const head = { location: "/insurance/submissions/S-1", "x-request-id": "req-7" };

const unknown = {
  status: 504,
  code: "OUTCOME_UNKNOWN",
  detail: "No usable answer came back. Ask at the address in `reconciliation` what became of it.",
  outcome: "unknown",
  retry: "same_key",
  reconciliation: { href: "/submissions/S-1" },
} as const;

const tooMany = { status: 429, code: "RATE_LIMITED", requestId: "req-2" } as const;

/** Returns the error of a submission whose attempts receive the given answers one after the other. */
async function failureOfSubmission(
  script: readonly Reply[],
  signal?: CancellationSignal,
): Promise<unknown> {
  const server = await scriptedServer(...script);
  const call = connect(server.address).call(createPolicy, { ...input, signal });
  const failure = await failureOf(call);
  expect(failure).toHaveProperty("name", "OutcomeUnknownError");
  // The client retries after an answer that a load balancer may have sent.
  expect(server.arrivals.length).toBeGreaterThanOrEqual(script.length);
  return failure;
}

describe("successes with an unusable body", () => {
  it.each<[string, Reply, number, string]>([
    ["an incomplete body", brokenMidway("application/json", 201, head), 201, "CONNECTION_FAILED"],
    [
      "a body that breaks the declaration",
      json({ policyId: 1 }, 201, head),
      201,
      "RESPONSE_INVALID",
    ],
    [
      "a body that is not JSON",
      raw("<h1>Hi</h1>", "text/html", 201, head),
      201,
      "RESPONSE_INVALID",
    ],
    ["an undeclared status", json({}, 202, head), 202, "RESPONSE_INVALID"],
  ])(
    "the error advises to query the submission instead of calling again if the success answer is unusable: %s",
    async (_, reply, status, code) => {
      const failure = await failureOfSubmission([reply]);
      expect(failure).toMatchObject({
        code,
        retry: "after_check",
        submissionId: "S-1",
        status,
        requestId: "req-7",
      });
      expect(String(failure)).toContain(': ask gateway.submission("S-1"), or look for it with');
      expect(String(failure)).not.toMatch(/call again/i);
    },
  );

  it.each([
    ["/submissions/S-2", "S-2"],
    ["https://gateway.example/a/b/submissions/S-3", "S-3"],
    ["/policies/M-1", null],
    ['/submissions/S"-1', null],
  ])(
    "the error of an incomplete success has the submission's ID from the Location header: %s contains the ID %s",
    async (location, submissionId) => {
      const reply = brokenMidway("application/json", 201, { location });
      expect(await failureOfSubmission([reply])).toMatchObject({ submissionId, status: 201 });
    },
  );

  it("a submission's error has the submission's ID from the answer's Location header only if the answer's status is below 300", async () => {
    for (const [status, submissionId] of [
      [299, "S-1"],
      [300, null],
    ] as const)
      expect(await failureOfSubmission([raw("", "text/plain", status, head)])).toMatchObject({
        status,
        submissionId,
      });
  });

  it("the error of a lookup has the request ID of the answer if the success answer is incomplete", async () => {
    const server = await scriptedServer(brokenMidway("application/json", 200, head));
    expect(await failureOf(connect(server.address).call(listBrands))).toMatchObject({
      name: "ConnectionError",
      retry: "safe",
      requestId: "req-7",
    });
  });
});

describe("the error after several attempts", () => {
  const reported = { status: 504, requestId: "req-1", submissionId: "S-1" };

  it("a submission's error has the status, IDs and Retry-After of the last answer if the calling program cancels before the next attempt", async () => {
    const signal = signalOfWait(queueMicrotask);
    const script = [problem(unknown, { "retry-after": "19" })];
    expect(await failureOfSubmission(script, signal)).toMatchObject({
      ...reported,
      code: "CANCELLED",
      retryAfterSeconds: 19,
    });
  });

  it("a submission's error has the status, IDs and Retry-After of the last answer if the next attempt loses its connection", async () => {
    const failure = await failureOfSubmission([problem(unknown, { "retry-after": "0" }), reset]);
    expect(failure).toMatchObject({ ...reported, code: "CONNECTION_FAILED", retryAfterSeconds: 0 });
  });

  it("a submission's error has the newest Retry-After, status and request ID, and the code of the attempt with the unknown outcome", async () => {
    const later = problem(tooMany, { "retry-after": "61" });
    const failure = await failureOfSubmission([problem(unknown, { "retry-after": "0" }), later]);
    expect(failure).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      submissionId: "S-1",
      status: 429,
      requestId: "req-2",
      retryAfterSeconds: 61,
    });
    expect(String(failure)).toContain("Call again in 61 s with the same input");
  });

  it("a submission's error has the request ID of the answer's header if the gateway's problem has no request ID", async () => {
    const reply = problem({ ...unknown, requestId: "" }, { "x-request-id": "req-8" });
    expect(await failureOfSubmission([reply])).toMatchObject({ requestId: "req-8" });
  });

  it("a submission's error has no waiting time if the gateway's newest problem has no Retry-After", async () => {
    const script = [problem(unknown, { "retry-after": "0" }), problem(unknown)];
    expect(await failureOfSubmission(script)).toMatchObject({
      ...reported,
      retryAfterSeconds: null,
    });
  });

  it("a submission's error has the request ID of the gateway's last answer if a proxy's HTML page follows", async () => {
    const page = raw("<h1>Bad Gateway</h1>", "text/html", 502);
    const failure = await failureOfSubmission([problem(unknown, { "retry-after": "0" }), page]);
    expect(failure).toMatchObject({ ...reported, status: 502, code: "RESPONSE_INVALID" });
  });
});

describe("the message of an unknown outcome", () => {
  it("the error message about an unknown outcome has the gateway's own explanation before the client's advice", async () => {
    expect(String(await failureOfSubmission([problem(unknown)]))).toContain(
      ": OUTCOME_UNKNOWN. No usable answer came back. Ask at the address in `reconciliation` what became of it. The submission may have been sent, and the insurer may have acted. Call again",
    );
  });

  it("the error message about an unknown outcome advises to find the cause first if the same call would fail again", async () => {
    const moved = { location: "/elsewhere", "x-request-id": "req-9" };
    for (const [reply, status] of [
      [raw("", "text/plain", 301, moved), 301],
      [raw("<h1>Too Large</h1>", "text/html", 413), 413],
      [raw("<h1>Not Found</h1>", "text/html", 404), 404],
      [json({ policyId: 1 }, 201), 201],
    ] as const) {
      const failure = await failureOfSubmission([reply]);
      expect(failure).toMatchObject({ status, retry: "after_check" });
      // No answer named the submission.
      expect(String(failure)).not.toContain("gateway.submission");
      expect(String(failure)).toContain(
        "Check that this is the gateway's address, and that the gateway's version matches this package.",
      );
      expect(String(failure)).toContain(
        'The same call would fail again: find out why, then call again with the same input and the key "key-1"',
      );
    }
  });

  it.each([408, 429, 502, 503])(
    "the error message about an unknown outcome advises to call again after a proxy's temporary status %i",
    async (status) => {
      const failure = await failureOfSubmission([raw("<h1>Later</h1>", "text/html", status)]);
      expect(failure).toMatchObject({ status, retry: "same_key" });
      expect(String(failure)).toContain("Call again with the same input");
    },
  );

  it("the error of an unknown outcome as JSON has the code, status and faults of the answer in `cause`", async () => {
    const failure = await failureOfSubmission([json({ policyId: 1, status: "ISSUED" }, 201, head)]);
    expect(JSON.parse(JSON.stringify(failure))).toHaveProperty("cause", {
      name: "ResponseInvalidError",
      code: "RESPONSE_INVALID",
      status: 201,
      errors: [
        { pointer: "/policyId", code: "TYPE", message: "must be a string" },
        expect.objectContaining({ pointer: "/premium" }),
      ],
    });
    expect(JSON.parse(JSON.stringify(await failureOfSubmission([reset])))).toHaveProperty("cause", {
      name: "ConnectionError",
      code: "CONNECTION_FAILED",
      status: null,
      errors: [],
    });
  });
});
