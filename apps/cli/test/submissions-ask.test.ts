import { problemCodes } from "@insurance-gateway/core/problems";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json } from "./gateway.ts";
import type { InProcessOptions } from "./in-process.ts";
import {
  type ProblemFacts,
  problem,
  type ScriptedGateway,
  startScriptedGateway,
  textOf,
} from "./scripted-gateway.ts";

const ID = "0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
const submission = {
  submissionId: ID,
  provider: "provider-d",
  endpoint: "createApplication",
  state: "succeeded",
  insurerId: "D-1",
  receivedAt: "2026-11-01T00:00:00.000Z",
  updatedAt: "2026-11-01T00:00:01.000Z",
  askAgainAt: null,
  answer: null,
};

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.server.arrivals.length = 0;
  gateway.server.behaviour = json(200, submission);
});

const ask = (
  flags: readonly string[] = [],
  options?: InProcessOptions,
): ReturnType<ScriptedGateway["run"]> => gateway.run(["submissions", "ask", ID, ...flags], options);

describe("the command `submissions ask`", () => {
  it("the command `submissions ask` prints the state of the submission as JSON or as a table", async () => {
    const [asJson, asTable] = [await ask(), await ask(["--output", "table"])];
    expect(gateway.server.arrivals.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /api/submissions/${ID}`,
      `GET /api/submissions/${ID}`,
    ]);
    expect(asJson).toEqual({
      code: 0,
      signal: null,
      stdout: `${JSON.stringify(submission, null, 2)}\n`,
      stderr: "",
    });
    expect(asTable.stdout.split("\n")).toEqual([
      ...Object.entries(submission).map(
        ([name, value]) => `${name.padEnd(12)}  ${value === null ? "-" : value}`,
      ),
      "",
    ]);
  });

  it.each<[ProblemFacts, object, string]>([
    [
      [404, "SUBMISSION_NOT_FOUND", "rejected", "never"],
      {},
      "use the sender's token and the gateway that received the submission",
    ],
    [[503, "OVERLOADED", "not_sent", "safe"], { "retry-after": "100" }, "run the command again"],
    [[403, "FORBIDDEN", "not_sent", "never"], {}, "find out the cause, then run the command again"],
    [
      [401, "UNAUTHENTICATED", "not_sent", "never"],
      {},
      "set GATEWAY_TOKEN to a valid token of this gateway",
    ],
  ])(
    "the command `submissions ask` prints why the submission's state cannot be read, and prints no outcome: %j",
    async (facts, headers, todo) => {
      gateway.server.behaviour = problem(facts, {}, { ...headers });
      const [status, code, , retry] = facts;
      const environment = { GATEWAY_TOKEN: "a.b.c" };
      const title = Reflect.get(problemCodes, code).title;
      expect(await ask([], { environment })).toEqual({
        code: 69,
        signal: null,
        stdout: "",
        stderr: textOf(`${code} (${status}): ${title}`, {
          "what happened": ["What happened."],
          "the submission": ["its state is not known"],
          "what to do": [todo],
          "request id": ["req-1"],
        }),
      });
      const { stderr } = await ask(["--output", "json"], { environment });
      expect(JSON.parse(stderr)).toEqual({
        code,
        outcome: null,
        retry,
        message: "What happened.",
        errors: [],
        idempotencyKey: null,
        submissionId: ID,
        requestId: "req-1",
        insurerId: null,
      });
    },
  );

  it("the command `submissions ask` does not fail if the program that reads the output has ended", async () => {
    const outputError = Object.assign(new Error("gone"), { code: "EPIPE" });
    expect(await ask([], { outputError })).toMatchObject({ code: 0, stderr: "" });
  });

  it("the command `submissions ask` fails if the command's output cannot be written", async () => {
    const outputError = Object.assign(new Error("full"), { code: "ENOSPC" });
    expect(await ask([], { outputError })).toMatchObject({
      code: 1,
      stderr: textOf("unexpected", {
        "what happened": ["standard output cannot be written (ENOSPC)"],
        "what to do": ["run the command again"],
      }),
    });
  });
});
