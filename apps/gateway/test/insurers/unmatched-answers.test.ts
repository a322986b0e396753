import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { runsInProcess } from "../harness/command-line.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer(json(500, {}));
});
afterAll(() => insurer.close());
beforeEach(() => {
  insurer.behaviour = json(409, { error: { code: "E-17" } });
});

/** A `failures` row by which the insurer's code E-17 means a rejection. */
const row = {
  status: [409, 422],
  media: "application/json",
  at: "/error/code",
  is: ["E-17"],
  code: "CONFLICT",
  outcome: "rejected",
  text: "The policy is closed.",
  why: "The insurer's manual, section 4.",
};

async function withGateway(
  failures: readonly object[],
  use: (gateway: GatewayInProcess) => Promise<void>,
): Promise<void> {
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), failures };
  // The clock does not advance, so the gateway sends no reconciliation query, whose answer would also be counted.
  const gateway = await startInProcess({ providers: [provider] }, {}, { time: holdTime() });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

/** Sends an application with fields that no other test sends. */
async function submit(gateway: GatewayInProcess): Promise<Record<string, unknown>> {
  return { ...(await problemIn(await submitApplication(gateway, applicationBody(), {}))) };
}

/** Returns the list of unmatched answers at the operations address. */
async function countedBy(gateway: GatewayInProcess): Promise<unknown> {
  const answer = await fetch(`${gateway.operationsAddress}/answers`);
  return Reflect.get(Object(await answer.json()), "items");
}

describe("an error answer that matches no `failures` row", () => {
  it("a submission is `unknown` after an error answer that no `failures` row matches, and the operator sees the answer", async () => {
    await withGateway([{ ...row, is: ["E-18"] }], async (gateway) => {
      expect(await submit(gateway)).toMatchObject({ status: 504, outcome: "unknown" });
      const items = await countedBy(gateway);
      const seen = {
        segment: "provider-d",
        endpoint: "createApplication",
        status: 409,
        mediaType: "application/json",
        code: "E-17",
        at: "/error/code",
        count: 1,
      };
      expect(items).toEqual([expect.objectContaining(seen)]);
      const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
      expect(metrics).toMatch(
        /insurance_gateway_answers_unmatched_total\{.*status="409",media_type="application\/json",has_code="true"\} 1/,
      );
      const run = runsInProcess({ folder: gateway.folder.path, address: gateway.address });
      const from = ["--from", gateway.operationsAddress];
      expect((await run(["answers", ...from])).stdout).toMatch(
        /provider-d +createApplication +409 +application\/json +E-17 +1/,
      );
      const drafted = await run(["answers", "--rows", ...from]);
      expect(JSON.parse(drafted.stdout)).toEqual([
        {
          endpoint: "createApplication",
          status: 409,
          media: "application/json",
          at: "/error/code",
          is: ["E-17"],
          code: "PROVIDER_REJECTED",
          outcome: "unknown",
          why: "",
        },
      ]);
    });
  });

  it.each([
    ["a sentence", "The plate IKY-1234 of Mr. X"],
    ["a value of the request", "YARIS"],
    ["nine digits, as in a tax number", "9111-11115"],
  ])(
    "the operator's list of unmatched error answers hides a code that may be personal data: %s",
    async (_, code) => {
      insurer.behaviour = json(409, { error: { code } });
      await withGateway([row], async (gateway) => {
        await submit(gateway);
        const items = await countedBy(gateway);
        expect(items).toEqual([expect.objectContaining({ code: null, at: null, count: 1 })]);
      });
    },
  );

  it("the command `answers` fails, and prints no empty list, if the gateway does not answer", async () => {
    const run = runsInProcess({ folder: process.cwd(), address: "http://127.0.0.1:1" });
    const { code, stderr } = await run(["answers", "--from", "http://127.0.0.1:1"]);
    expect({ code, stderr }).toEqual({
      code: 69,
      stderr: expect.stringContaining("--from"),
    });
  });
});

describe("a `failures` row of the operator", () => {
  it("an operator's `failures` row sets the code, the outcome and the text of the problem", async () => {
    await withGateway([row], async (gateway) => {
      expect(await submit(gateway)).toMatchObject({
        status: 409,
        code: "CONFLICT",
        outcome: "rejected",
        retry: "never",
        detail: "The policy is closed.",
      });
      const items = await countedBy(gateway);
      expect(items).toEqual([]);
    });
  });

  it.each([
    ["another status", json(400, { error: { code: "E-17" } })],
    [
      "another media type",
      json(409, { error: { code: "E-17" } }, { "content-type": "application/vnd.x+json" }),
    ],
    ["another code", json(409, { error: { code: "E-99" } })],
    ["an HTML page", json(409, '{"error":{"code":"E-17"}}', { "content-type": "text/html" })],
  ])("an operator's `failures` row does not match an answer with %s", async (_, behaviour) => {
    insurer.behaviour = behaviour;
    await withGateway([row], async (gateway) => {
      expect(await submit(gateway)).toMatchObject({ status: 504, outcome: "unknown" });
    });
  });

  it("an operator's `failures` row for one endpoint does not match answers of other endpoints", async () => {
    await withGateway([{ ...row, endpoint: "searchApplications" }], async (gateway) => {
      expect(await submit(gateway)).toMatchObject({ status: 504 });
      const found = await gateway.ask("/provider-d/applications/search?clientAfm=123456789");
      expect(await problemIn(found)).toMatchObject({ code: "CONFLICT" });
    });
  });

  it("an operator's `failures` row can match codes by a pattern", async () => {
    await withGateway([{ ...row, status: "4xx", is: ["E-##"] }], async (gateway) => {
      insurer.behaviour = json(418, { error: { code: "E-17" } });
      expect(await submit(gateway)).toMatchObject({ code: "CONFLICT", outcome: "rejected" });
      insurer.behaviour = json(418, { error: { code: 1 } });
      expect(await submit(gateway)).toMatchObject({ status: 504, outcome: "unknown" });
    });
  });

  it.each([
    ["a family of statuses with a word as code", { status: "4xx", is: ["REJECTED"] }, "REJECTED"],
    ["a status with a number that proxies write", { status: 502, is: ["502"] }, "502"],
    ["status 407", { status: 407 }, "407"],
  ])(
    "the gateway does not start with a `failures` row that could match a proxy's answer: %s",
    async (_, changes, named) => {
      await expect(withGateway([{ ...row, ...changes }], async () => {})).rejects.toThrow(
        new RegExp(`providers\\[0\\]\\.failures: .*${named}.*prox`),
      );
    },
  );

  it.each([
    ["no reason", { ...row, why: "" }, "why"],
    ["media type HTML", { ...row, media: "text/html" }, "media"],
    ["no code of the insurer", { ...row, is: [] }, "is"],
    ["an unknown endpoint", { ...row, endpoint: "nothing" }, "endpoint"],
  ])("the gateway does not start with an invalid `failures` row: %s", async (_, failure, place) => {
    await expect(withGateway([failure], async () => {})).rejects.toThrow(
      `providers[0].failures[0].${place}`,
    );
  });
});
