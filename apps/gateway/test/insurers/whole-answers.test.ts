import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { adapterOf, repository, speakTo } from "../dialects/speaking.ts";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const MEGABYTE = 1_048_576;
const pdf = pdfOf(1_200_000);
const message = messageWith(pdf);

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(answerWhole);
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const soap = { package: "@insurance-gateway/provider-c", upstream };
  gateway = await startInProcess({
    limits: { answerBytes: MEGABYTE },
    providers: [
      { ...soap, segment: "slow", timeouts: { totalMs: 60_000 } },
      { ...soap, segment: "timely", timeouts: { totalMs: 2_000 } },
      // Calls of this provider may wait for memory for half of their time limit.
      { ...soap, segment: "hasty", timeouts: { totalMs: 1_000 }, breaker: { failuresInRow: 1 } },
      insurerConfiguration("d", insurer.baseUrl),
    ],
  });
});
beforeEach(() => {
  insurer.behaviour = answerWhole;
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

function pdfOf(bytes: number): Buffer {
  return Buffer.from(`%PDF-1.7\n${"x".repeat(bytes)}\n%%EOF\n`);
}

/** Creates the insurer's message with a document in base64. */
function messageWith(document: Buffer): Buffer {
  return Buffer.from(
    `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>` +
      `<getApplicationDocumentResponse xmlns="http://ws.provider-c.example/quotation/v2">` +
      `<status>PRINTED</status><pdfContent>${document.toString("base64")}</pdfContent>` +
      "</getApplicationDocumentResponse></S:Body></S:Envelope>",
  );
}

function answerWhole(response: ServerResponse): void {
  begin(response);
  response.end(message.subarray(MEGABYTE));
}

/** Writes the first megabyte of the insurer's message. */
function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/xml", "content-length": message.byteLength });
  response.write(message.subarray(0, MEGABYTE));
}

function download(segment: string, signal?: AbortSignal): Promise<Response> {
  return gateway.ask(`/${segment}/application/ipid?applicationId=C-0001`, { signal });
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  const [, value] = new RegExp(`^insurance_gateway_${name}\\S* (\\d+)$`, "m").exec(text) ?? [];
  return Number(value ?? 0);
}

/**
 * Starts a download whose answer uses all the memory; the insurer sends all later answers at once. Returns the
 * download's response, and a function that finishes the insurer's answer.
 */
async function useAllRoom(signal?: AbortSignal) {
  const begun = Promise.withResolvers<ServerResponse>();
  insurer.behaviour = (response) => {
    begin(response);
    insurer.behaviour = answerWhole;
    begun.resolve(response);
  };
  const answered = download("slow", signal);
  // The call may be cancelled before the test awaits the promise `answered`, so the promise's rejection is handled
  // here.
  answered.catch(() => undefined);
  const response = await begun.promise;
  await expect.poll(() => metric("answer_bytes")).toBe(message.byteLength);
  return { answered, finish: () => response.end(message.subarray(MEGABYTE)) };
}

it("the gateway limits the memory for all large answers, and a call without memory fails with a Retry-After", async () => {
  const { answered, finish } = await useAllRoom();
  const refused = await download("hasty");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await problemIn(refused)).toMatchObject({
    status: 503,
    code: "OVERLOADED",
    outcome: "unknown",
    retry: "safe",
  });
  expect(await metric("answers_refused_total")).toBe(1);
  finish();
  expect(Buffer.from(await (await answered).arrayBuffer()).equals(pdf)).toBe(true);
  // This call succeeds: the refused call did not count as the insurer's failure, and the memory of the first answer is
  // free.
  const again = await download("hasty");
  expect(Buffer.from(await again.arrayBuffer()).equals(pdf)).toBe(true);
  await expect.poll(() => metric("answer_bytes")).toBe(0);
});

it("a call that waits for memory continues as soon as the caller whose answer uses the memory disconnects", async () => {
  const gone = new AbortController();
  const { answered } = await useAllRoom(gone.signal);
  const arrived = insurer.nextArrival();
  const waiting = download("slow");
  await arrived;
  gone.abort();
  await expect(answered).rejects.toThrow();
  expect(Buffer.from(await (await waiting).arrayBuffer()).equals(pdf)).toBe(true);
  await expect.poll(() => metric("answer_bytes")).toBe(0);
});

it("an attempt of a call reports its wait for memory, so that the wait does not count as a failure of the insurer", async () => {
  const budget = createAnswerBudget(() => MEGABYTE);
  const full = budget.roomOf("other").take(MEGABYTE);
  const waiting = Promise.withResolvers<void>();
  const room = { room: budget.roomOf("c"), waitsForRoom: waiting.resolve };
  const speaking = speakTo(insurer.baseUrl, await adapterOf("c"), 20_000_000, {}, room);
  const loaded = await loadProviderPackage(repository, "@insurance-gateway/provider-c");
  const endpoint = "fault" in loaded ? undefined : loaded.provider.endpoints.downloadIpid;
  if (endpoint === undefined) throw new TypeError("Provider C has no document");
  const answered = speaking.call(endpoint, { query: { applicationId: "C-0001" } });
  await waiting.promise;
  full.release();
  expect(await answered).toMatchObject({ status: 200 });
  await speaking.close();
});

it("the gateway releases the memory of a document when the document's caller disconnects", async () => {
  const gone = new AbortController();
  const response = await download("slow", gone.signal);
  expect(response.status).toBe(200);
  gone.abort();
  await expect.poll(() => metric("answer_bytes")).toBe(0);
});

it("the gateway releases a document's memory and ends the transfer if the caller does not read the document in the call's time", async () => {
  // The document is larger than the buffers of the sockets between the gateway and the caller.
  const document = pdfOf(10_000_000);
  insurer.behaviour = (response) =>
    response.writeHead(200, { "content-type": "text/xml" }).end(messageWith(document));
  const { hostname, port } = new URL(gateway.address);
  const reader = connect(Number(port), hostname);
  const closed = once(reader, "close");
  reader.write(
    `GET /timely/application/ipid?applicationId=C-0001 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.token}\r\n\r\n`,
  );
  await once(reader, "readable");
  expect(String(reader.read())).toContain("200 OK");
  await expect.poll(() => metric("answer_bytes")).toBe(0);
  let received = 0;
  reader.on("data", (chunk: Buffer) => {
    received += chunk.byteLength;
  });
  await closed;
  expect(received).toBeLessThan(document.byteLength);
});

it("the gateway accepts a submission's large answer even if no memory is free", async () => {
  const { answered, finish } = await useAllRoom();
  const { execute } = createApplicationsInsurer();
  insurer.behaviour = (response, { body, method }) => {
    const { headers, ...answer } = execute({ body, method, query: "" });
    const content = { ...JSON.parse(String(answer.body)), remarks: "x".repeat(1_200_000) };
    response.writeHead(answer.status ?? 200, { ...headers, "content-type": "application/json" });
    response.end(JSON.stringify(content));
  };
  expect((await submitApplication(gateway, applicationBody())).status).toBe(201);
  expect(await metric("answer_bytes")).toBe(message.byteLength);
  finish();
  expect((await (await answered).arrayBuffer()).byteLength).toBe(pdf.byteLength);
});
