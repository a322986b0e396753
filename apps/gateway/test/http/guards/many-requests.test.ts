import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody } from "../../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../../harness/insurer.ts";
import { sendRaw } from "../../harness/send-raw.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [] }));
  gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

describe("pipelined requests", () => {
  it("the gateway answers every request if a caller sends nine pipelined requests", async () => {
    const sent = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(8);
    const answers = await sendRaw(
      gateway.address,
      `${sent}GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 401/g)).toHaveLength(9);
  });

  it("the gateway ends a connection with thousands of pipelined requests, and still answers other callers at once", async () => {
    const sent = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(20_000);
    const flood = sendRaw(gateway.address, sent).catch(() => "");
    const response = await fetch(`${gateway.operationsAddress}/health/live`);
    expect(response.status).toBe(200);
    expect(((await flood).match(/HTTP\/1\.1 401/g) ?? []).length).toBeLessThan(100);
  });

  it("the gateway reads no further request of a connection after a request with an unsupported `Expect` header", async () => {
    const body = JSON.stringify(applicationBody("123456789"));
    const application = [
      "POST /provider-d/applications HTTP/1.1",
      "host: x",
      `authorization: Bearer ${gateway.token}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
    ].join("\r\n");
    const answers = await sendRaw(
      gateway.address,
      `GET / HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\n\r\n${application}\r\n\r\n${body}`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
    // If the gateway had read the application, the insurer would have received it before the answer to this search.
    await gateway.ask("/provider-d/applications/search?clientAfm=123456789");
    expect(insurer.arrivals.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("the gateway accepts a request body that arrives in thousands of pieces", async () => {
    const body = JSON.stringify(applicationBody("123456789")).replaceAll(
      /[^ -~]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const pieces = Array.from(body, (letter) => `1\r\n${letter}\r\n`);
    const answer = await sendRaw(
      gateway.address,
      `POST /provider-d/applications HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${pieces.join("")}0\r\n\r\n`,
    );
    // The insurer answers with a list instead of an application, so the outcome of the sent submission is unknown.
    expect(answer).toMatch(/^HTTP\/1\.1 504/);
    expect(JSON.parse(insurer.arrivals.at(-1)?.body ?? "")).toEqual(JSON.parse(body));
  });
});
