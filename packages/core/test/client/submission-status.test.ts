import { describe, expect, it } from "vitest";
import type { SubmissionStatus } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { failureOf } from "../harness/failure.ts";
import { json, problem, reset } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

const id = "0b5c1c2e-6c8e-4f3e-9a55-6d3c0f1b2a77";

const succeeded: SubmissionStatus = {
  submissionId: id,
  provider: "provider-m",
  endpoint: "createPolicy",
  state: "succeeded",
  insurerId: "M-1",
  receivedAt: "2026-07-01T10:00:00Z",
  askAgainAt: null,
  updatedAt: "2026-07-01T10:00:02.125Z",
  answer: { status: 201, body: { policyId: "M-1" } },
};

describe("the state of a submission", () => {
  it("the client requests a submission's state from the gateway itself, below the path prefix of the base address", async () => {
    const server = await scriptedServer(json(succeeded, 200, { "x-request-id": "req-3" }));
    const gateway = connect(`${server.address}/insurance`, { segments: { "": "other" } });
    const { data, response } = await gateway.submission(id).withResponse();
    expect(data).toEqual(succeeded);
    expect(response).toMatchObject({ status: 200, requestId: "req-3", idempotencyKey: null });
    expect(server.arrivals).toMatchObject([
      {
        method: "GET",
        target: `/insurance/submissions/${id}`,
        headers: { authorization: "Bearer token-1", accept: "application/json" },
      },
    ]);
    expect(server.arrivals[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  it.each<[string, object]>([
    ["a submission in flight", { state: "in_flight", insurerId: null, answer: null }],
    ["a state that this version does not know", { state: "withdrawn", operator: "x" }],
    ["an answer without a body", { answer: { status: 204, body: null } }],
  ])(
    "the client returns the state of a submission as the gateway reports it: %s",
    async (_, parts) => {
      const status = { ...succeeded, ...parts };
      const server = await scriptedServer(json(status));
      expect(await connect(server.address).submission(id)).toEqual(status);
    },
  );

  it.each<[string, unknown, readonly string[]]>([
    ["a list", [], [""]],
    ["null", null, [""]],
    [
      "fields of the wrong types",
      { ...succeeded, submissionId: 1, state: 7, insurerId: 7, updatedAt: "yesterday" },
      ["/submissionId", "/state", "/insurerId", "/updatedAt"],
    ],
    [
      "an incomplete answer",
      { ...succeeded, answer: { status: "201" } },
      ["/answer/status", "/answer/body"],
    ],
    ["no answer", { ...succeeded, answer: undefined }, ["/answer"]],
  ])(
    "the client reports each fault if the state of a submission does not match the declared schema: %s",
    async (_, answer, pointers) => {
      const server = await scriptedServer(json(answer));
      expect(await failureOf(connect(server.address).submission(id))).toMatchObject({
        name: "ResponseInvalidError",
        outcome: "unknown",
        retry: "safe",
        errors: pointers.map((pointer) => ({ pointer, message: expect.any(String) })),
      });
    },
  );

  it("the client throws the gateway's problem if the submission is unknown or belongs to another caller", async () => {
    const notFound = { status: 404, code: "SUBMISSION_NOT_FOUND", retry: "never" } as const;
    const server = await scriptedServer(problem(notFound));
    const failure = await failureOf(connect(server.address).submission(id));
    expect(failure).toMatchObject({
      name: "ProblemError",
      ...notFound,
      provider: "",
      endpoint: "GET /submissions/{submissionId}",
    });
    expect(String(failure)).toContain(
      "ProblemError: GET /submissions/{submissionId}: SUBMISSION_NOT_FOUND. ",
    );
  });

  it("a query for a submission's state is safe to repeat if the connection was lost", async () => {
    const server = await scriptedServer(reset);
    expect(await failureOf(connect(server.address).submission(id))).toMatchObject({
      name: "ConnectionError",
      outcome: "unknown",
      retry: "safe",
    });
  });

  it("a query for a submission's state accepts the options of a call, but no idempotency key", async () => {
    const server = await scriptedServer(json(succeeded));
    const gateway = connect(server.address);
    await gateway.submission(id, { headers: { "x-note": "a" } });
    expect(server.arrivals[0]?.headers["x-note"]).toBe("a");
    const signal = AbortSignal.abort();
    expect(await failureOf(gateway.submission(id, { signal }))).toMatchObject({
      code: "CANCELLED",
    });
    // @ts-expect-error a read has no key
    expect(await failureOf(gateway.submission(id, { idempotencyKey: "key-1" }))).toMatchObject({
      name: "RequestInvalidError",
      errors: [{ pointer: "/idempotencyKey" }],
    });
  });

  it.each([
    ["", "/path/submissionId"],
    ["..", "/path/submissionId"],
    // A caller without types can pass any value.
    [null as never, "/path/submissionId"],
    [undefined as never, "/path/submissionId"],
  ])(
    "the client sends nothing if a submission's ID is missing or not valid: %j",
    async (none, pointer) => {
      const server = await scriptedServer(json(succeeded));
      expect(await failureOf(connect(server.address).submission(none))).toMatchObject({
        name: "RequestInvalidError",
        errors: [{ pointer }],
      });
      expect(server.connections()).toBe(0);
    },
  );
});
