import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const PLATE = "/vehicle/plateNumber";

let insurer: Insurer;
let gateway: GatewayInProcess;
let answer: (sent: object) => object;
beforeEach(async () => {
  answer = (sent) => applicationFor(sent, "D-000001");
  insurer = await startInsurer((response, { body, method }) =>
    json(method === "POST" ? 201 : 500, method === "POST" ? answer(JSON.parse(body)) : {})(
      response,
      { body, method, url: "", headers: {} },
    ),
  );
  gateway = await start();
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

function start(more: object = {}): Promise<GatewayInProcess> {
  return startInProcess({
    providers: [{ ...insurerConfiguration("d", insurer.baseUrl), ...more }],
  });
}

/** A whole answer to an application. */
function applicationFor(sent: object, applicationId: string): object {
  const { policy, vehicle, holder } = { policy: {}, vehicle: {}, holder: {}, ...sent };
  const now = new Date().toISOString();
  return {
    applicationId,
    status: "RECEIVED",
    statusReasons: [],
    policy: { ...policy, policyNumber: null },
    vehicle,
    holder,
    premium: null,
    payment: null,
    documents: [],
    createdAt: now,
    updatedAt: now,
  };
}

function submit(body: object, key = randomUUID()): Promise<Response> {
  return submitApplication(gateway, body, { "idempotency-key": key });
}

async function mismatches(): Promise<string> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  return text
    .split("\n")
    .filter((line) => /^\w+_answers_mismatched_total\{/.test(line))
    .join("\n");
}

describe("an answer to a submission", () => {
  it("that is another customer's is no success, and is counted by field", async () => {
    const other = applicationBody("999999999", "ΑΒΕ-7777");
    answer = () => applicationFor(other, "D-000009");
    const response = await submit(applicationBody("111111111"));
    expect(await problemIn(response)).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
    });
    expect(await mismatches()).toContain(`field="${PLATE}"`);
    expect(await mismatches()).toContain('field="/holder/afm"');
    expect(await mismatches()).not.toContain("999999999");
  });

  it("may write the plate in the insurer's way", async () => {
    const body = applicationBody(undefined, "ΙΚΥ-1");
    answer = (sent) =>
      applicationFor(
        { ...sent, vehicle: { plateNumber: "IKY1", manufacturerCode: "TOY", modelCode: "YARIS" } },
        "D-000001",
      );
    expect((await submit(body)).status).toBe(201);
  });

  it("with a field that the operator leaves out counts", async () => {
    await gateway.stop();
    gateway = await start({ compare: { except: [PLATE] } });
    answer = (sent) =>
      applicationFor(
        { ...sent, vehicle: { plateNumber: "?", manufacturerCode: "TOY", modelCode: "YARIS" } },
        "D-000001",
      );
    expect((await submit(applicationBody())).status).toBe(201);
  });

  it("that names what another submission created is no success", async () => {
    expect((await submit(applicationBody())).status).toBe(201);
    const second = await submit(applicationBody());
    expect(await problemIn(second)).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
  });

  it("that names what the same content created before says that nothing new was", async () => {
    const body = applicationBody();
    const first = await submit(body);
    const location = first.headers.get("location");
    const key = randomUUID();
    for (const replayed of [null, "true"]) {
      const second = await submit(body, key);
      expect(second.headers.get("location")).toBe(location);
      expect(second.headers.get("idempotency-replayed")).toBe(replayed);
      expect(await problemIn(second)).toMatchObject({
        status: 409,
        code: "DUPLICATE_APPLICATION",
        outcome: "rejected",
      });
    }
  });

  it("that breaks the declaration and names another customer's application is not called carried out", async () => {
    answer = (sent) => ({
      applicationId: "D-000001",
      holder: { ...Object(sent).holder, afm: "999999999" },
    });
    expect(await problemIn(await submit(applicationBody()))).toMatchObject({ outcome: "unknown" });
    answer = (sent) => ({ applicationId: "D-000002", holder: Object(sent).holder });
    expect(await problemIn(await submit(applicationBody()))).toMatchObject({ outcome: "executed" });
  });
});
