import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";
import { sendRaw } from "../harness/send-raw.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;

beforeAll(async () => {
  insurer = await startInsurer(json(500, {}));
  gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const submission = specificationRequests().find(({ number }) => number === 4)?.body;

describe("the gateway's log of requests", () => {
  it("the gateway's log has a line for every request id, even for unreadable requests", async () => {
    const unread = await sendRaw(
      gateway.address,
      "GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
    );
    const undecodable = await gateway.ask("/%zz");
    const ids = [
      /x-request-id: (\S+)/.exec(unread)?.[1] ?? "none",
      undecodable.headers.get("x-request-id") ?? "none",
    ];
    for (const id of ids)
      await expect.poll(() => gateway.log.filter((line) => line.includes(id)).length).toBe(1);
  });

  it("the gateway's log reports the result of a submission whose caller disconnected", async () => {
    const caller = new AbortController();
    const arrived = insurer.nextArrival();
    let answer: (() => void) | undefined;
    insurer.behaviour = (response) => {
      answer = () => response.writeHead(500).end();
    };
    const call = gateway.ask("/provider-d/applications", {
      json: submission,
      signal: caller.signal,
    });
    const { headers } = await arrived;
    caller.abort();
    await expect(call).rejects.toThrow();
    answer?.();
    const lines = (): readonly string[] =>
      gateway.log.filter(
        (line) =>
          line.includes(String(headers["x-request-id"])) && line.includes('"msg":"request"'),
      );
    await expect.poll(lines).toHaveLength(1);
    expect(JSON.parse(lines()[0] ?? "{}")).toMatchObject({
      callerGone: true,
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
    });
  });

  it("the gateway's log reports a submission's problem again for each repetition of the submission", async () => {
    insurer.behaviour = problem(422, "PROVIDER_REJECTED");
    const body = applicationBody();
    const headers = { "idempotency-key": "replayed-1" };
    const ids: string[] = [];
    for (let call = 0; call < 2; call += 1) {
      const response = await submitApplication(gateway, body, headers);
      ids.push(response.headers.get("x-request-id") ?? "none");
      await response.arrayBuffer();
    }
    const lines = (): readonly object[] =>
      gateway.log
        .map((line) => JSON.parse(line))
        .filter(({ msg, requestId }) => msg === "request" && ids.includes(requestId));
    await expect.poll(lines).toHaveLength(2);
    const seen = { status: 422, code: "PROVIDER_REJECTED", outcome: "rejected" };
    expect(lines()).toMatchObject([seen, seen]);
  });

  it("the gateway's log names a request's route template, code and outcome, but no customer's data", async () => {
    const response = await gateway.ask(
      "/provider-d/applications/search?clientAfm=123456789&start=0",
    );
    const id = response.headers.get("x-request-id") ?? "none";
    const found = (): string | undefined => gateway.log.find((line) => line.includes(id));
    await expect.poll(found).toBeDefined();
    const line: Record<string, unknown> = JSON.parse(found() ?? "{}");
    expect(line).toMatchObject({
      route: "/provider-d/applications/search",
      provider: "provider-d",
      status: 400,
      code: "VALIDATION_FAILED",
      outcome: "not_sent",
    });
    const everything = gateway.log.join("");
    for (const secret of ["123456789", "Μαρία", "ΙΚΥ1234", gateway.token])
      expect(everything).not.toContain(secret);
  });
});
