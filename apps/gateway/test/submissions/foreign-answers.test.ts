import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { applicationBody, listedApplication, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { startListingGateway } from "./listing-gateway.ts";

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

/** Returns a complete answer that repeats the sent application. */
function applicationFor(sent: object, applicationId: string): object {
  const now = new Date().toISOString();
  return listedApplication(sent, { applicationId, createdAt: now, updatedAt: now });
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

/** Records the connection of each submission. Stops the clock, so that no connection is closed as idle. */
function watchSockets(): unknown[] {
  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const sockets: unknown[] = [];
  const answerEach = insurer.behaviour;
  insurer.behaviour = (response, arrival) => {
    sockets.push(response.socket);
    answerEach(response, arrival);
  };
  return sockets;
}

describe("an answer that may belong to another submission", () => {
  it("the gateway reports `unknown` for an answer about another customer, and counts the differing fields in a metric", async () => {
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

  it("the gateway accepts an answer with the plate in the insurer's spelling", async () => {
    const body = applicationBody(undefined, "ΙΚΥ-1");
    answer = (sent) =>
      applicationFor(
        { ...sent, vehicle: { plateNumber: "IKY1", manufacturerCode: "TOY", modelCode: "YARIS" } },
        "D-000001",
      );
    expect((await submit(body)).status).toBe(201);
  });

  it("the gateway accepts an answer that differs only in a field that the operator excludes from the comparison", async () => {
    await gateway.stop();
    gateway = await start({ compare: { except: [PLATE] } });
    answer = (sent) =>
      applicationFor(
        { ...sent, vehicle: { plateNumber: "?", manufacturerCode: "TOY", modelCode: "YARIS" } },
        "D-000001",
      );
    expect((await submit(applicationBody())).status).toBe(201);
  });

  it("the gateway reports `unknown` for an answer with another submission's identifier, and does not reuse the connection", async () => {
    const sockets = watchSockets();
    expect((await submit(applicationBody())).status).toBe(201);
    const second = await submit(applicationBody());
    expect(await problemIn(second)).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
    answer = (sent) => applicationFor(sent, "D-000003");
    expect((await submit(applicationBody())).status).toBe(201);
    expect(sockets[1] === sockets[0]).toBe(true);
    expect(sockets[2] === sockets[1]).toBe(false);
  });

  it.each(["D-000001 ", "\u00a0D-000001", "D-000001\u200b", "D-\u2060000001"])(
    "the gateway recognises another submission's identifier despite white space or invisible characters: %j",
    async (sameId) => {
      expect((await submit(applicationBody())).status).toBe(201);
      answer = (sent) => applicationFor(sent, sameId);
      expect((await submit(applicationBody())).status).toBe(504);
    },
  );

  it("the gateway accepts an identifier that differs from an earlier identifier only in upper or lower case", async () => {
    expect((await submit(applicationBody())).status).toBe(201);
    answer = (sent) => applicationFor(sent, "d-000001");
    expect((await submit(applicationBody())).status).toBe(201);
  });

  it("the gateway sends no later submission on the connection on which the insurer refused a submission", async () => {
    const sockets = watchSockets();
    expect((await submit(applicationBody())).status).toBe(201);
    const usual = insurer.behaviour;
    insurer.behaviour = (response, arrival) => {
      sockets.push(response.socket);
      problem(422, "PROVIDER_REJECTED")(response, arrival);
    };
    expect((await submit(applicationBody())).status).toBe(422);
    insurer.behaviour = usual;
    answer = (sent) => applicationFor(sent, "D-000004");
    expect((await submit(applicationBody())).status).toBe(201);
    expect(sockets[1] === sockets[0]).toBe(true);
    expect(sockets[2] === sockets[1]).toBe(false);
  });

  it("the gateway reports a duplicate if an answer on a new connection has the identifier of an equal earlier submission", async () => {
    const body = applicationBody();
    const usual = insurer.behaviour;
    insurer.behaviour = (response, arrival) => {
      response.setHeader("connection", "close");
      usual(response, arrival);
    };
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

  it("the gateway reports `unknown` if an answer on a used connection has the identifier of an equal earlier submission", async () => {
    const sockets = watchSockets();
    const body = applicationBody();
    expect((await submit(body)).status).toBe(201);
    const second = await submit(body);
    expect(await problemIn(second)).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
    answer = (sent) => applicationFor(sent, "D-000005");
    expect((await submit(applicationBody())).status).toBe(201);
    expect(sockets[1] === sockets[0]).toBe(true);
    expect(sockets[2] === sockets[1]).toBe(false);
  });

  it("the gateway reports `executed` for an invalid answer without match fields only if the connection is new", async () => {
    const sockets = watchSockets();
    expect((await submit(applicationBody())).status).toBe(201);
    answer = () => ({ applicationId: "D-000002" });
    expect(await problemIn(await submit(applicationBody()))).toMatchObject({ outcome: "unknown" });
    expect(await problemIn(await submit(applicationBody()))).toMatchObject({ outcome: "executed" });
    const [first, second, third] = sockets;
    expect([second === first, third === first]).toEqual([true, false]);
  });

  it("the gateway reports `executed` for an invalid answer only if the customer and the identifier fit the submission", async () => {
    answer = (sent) => ({
      applicationId: "D-000001",
      holder: { ...Object(sent).holder, afm: "999999999" },
    });
    expect(await problemIn(await submit(applicationBody()))).toMatchObject({ outcome: "unknown" });
    // The customer's own tax number is not the identifier of an application.
    answer = (sent) => ({ applicationId: Object(sent).holder.afm, holder: Object(sent).holder });
    const unnamed = await problemIn(await submit(applicationBody("123456789")));
    expect(unnamed).toMatchObject({ outcome: "unknown" });
    expect(unnamed).not.toHaveProperty("insurerId");
    answer = (sent) => ({ applicationId: "D-000002", holder: Object(sent).holder });
    const executed = await problemIn(await submit(applicationBody()));
    expect(executed).toMatchObject({ outcome: "executed" });
    const { href } = Object(executed.reconciliation);
    const status = await gateway.ask(`${href}`);
    expect(await status.json()).toMatchObject({ state: "succeeded", insurerId: "D-000002" });
  });
});

describe("a submission whose answer belongs to another application", () => {
  it.each([
    ["another customer's application", () => applicationBody("999999999", "ΑΒΕ-7777")],
    ["the identifier of another submission", (sent: object) => sent],
  ])(
    "the gateway queries the insurer at once about a submission whose answer has %s",
    async (_, answered) => {
      const gateway = await startListingGateway();
      onTestFinished(() => gateway.stop());
      const list = gateway.insurer.behaviour;
      gateway.insurer.behaviour = (response, arrival) => {
        if (arrival.method !== "POST") return list(response, arrival);
        const sent: object = JSON.parse(arrival.body);
        json(201, applicationFor(answered(sent), "D-000001"))(response, arrival);
      };
      await submitApplication(gateway, applicationBody());
      const body = applicationBody();
      const { address } = await gateway.submitInVain(body);
      gateway.list = [applicationFor(body, "D-000002")];
      await gateway.pass(0);
      expect(await gateway.stateOf(address)).toBe("succeeded");
    },
  );
});
