import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, listedApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const ASKED = "123456789";
const OTHER = "987654321";

let insurer: Insurer;
let gateway: GatewayInProcess;
/** The customers in the insurer's answers, with one list for each answer. The last list is for all further answers. */
let answers: (readonly string[])[];
/** The socket of each request to the insurer. */
let sockets: unknown[];
beforeEach(async () => {
  sockets = [];
  insurer = await startInsurer((response, arrival) => {
    sockets.push(response.socket);
    const [customers = []] = answers.length > 1 ? answers.splice(0, 1) : answers;
    const items = customers.map(applicationOf);
    json(200, { items, start: 1, limit: 20, total: items.length })(response, arrival);
  });
  await start();
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

async function start(more: object = {}): Promise<void> {
  const retries = { attempts: 1 };
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), retries, ...more };
  gateway = await startInProcess({ providers: [provider] });
}

function applicationOf(afm: string): object {
  const at = "2026-11-20T09:00:00Z";
  const added = { applicationId: `D-${afm}`, createdAt: at, updatedAt: at };
  return listedApplication(applicationBody(afm), added);
}

function search(): Promise<Response> {
  const path = `/provider-d/applications/search?clientAfm=${ASKED}`;
  return gateway.ask(path);
}

async function metric(name: string): Promise<string> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`insurance_gateway_${name}{`));
  return lines.join("\n");
}

describe("a search result with another customer's item", () => {
  it("the gateway repeats a search on a new connection if the result contains another customer's item", async () => {
    answers = [[ASKED], [ASKED, OTHER], [ASKED]];
    expect((await search()).status).toBe(200);
    const second = await search();
    expect(second.status).toBe(200);
    expect(await second.text()).not.toContain(OTHER);
    expect(sockets[1] === sockets[0]).toBe(true);
    expect(sockets[2] === sockets[1]).toBe(false);
  });

  it("the gateway answers 502 and logs the name of the differing field if a repeated search again returns another customer's item", async () => {
    answers = [[OTHER]];
    const response = await search();
    expect(await problemIn(response)).toMatchObject({
      status: 502,
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "unknown",
      retry: "safe",
    });
    expect(insurer.arrivals).toHaveLength(2);
    expect(await metric("answers_mismatched_total")).toBe(
      'insurance_gateway_answers_mismatched_total{provider="provider-d",endpoint="searchApplications",field="/holder/afm"} 2',
    );
    const lines = gateway.log.filter((line) => line.includes("belongs to another call"));
    expect(lines).toHaveLength(2);
    expect(lines.map((line) => JSON.parse(line))[0]).toMatchObject({
      segment: "provider-d",
      endpoint: "searchApplications",
      fields: ["/holder/afm"],
    });
    expect(gateway.log.join()).not.toMatch(/123456789|987654321/);
  });

  it("the gateway accepts another customer's item in a search result if `compare.except` excludes the customer's tax number", async () => {
    await gateway.stop();
    await start({ compare: { except: ["/holder/afm"] } });
    answers = [["***456***"]];
    const items = [(await search()).status, (await search()).status];
    expect(items).toEqual([200, 200]);
    expect(sockets[1] === sockets[0]).toBe(false);
    expect(insurer.arrivals).toHaveLength(2);
  });
});

it("the gateway accepts an empty search result only if the result arrives on a new connection", async () => {
  answers = [[ASKED], [], []];
  expect((await search()).status).toBe(200);
  const nothing = await search();
  expect(nothing.status).toBe(200);
  expect(await nothing.json()).toMatchObject({ items: [] });
  expect(insurer.arrivals).toHaveLength(3);
  expect(sockets[2] === sockets[1]).toBe(false);
  expect(await metric("answers_mismatched_total")).toBe("");
});

it("the gateway counts and logs bytes that an insurer sends without a request, and closes the connection", async () => {
  answers = [[ASKED]];
  expect((await search()).status).toBe(200);
  const [socket] = sockets;
  Object(socket).write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  await expect
    .poll(() => metric("unasked_bytes_total"))
    .toBe('insurance_gateway_unasked_bytes_total{provider="provider-d"} 1');
  const line = gateway.log.find((one) => one.includes("bytes without a request"));
  expect(JSON.parse(line ?? "")).toMatchObject({ provider: "provider-d", segment: "provider-d" });
  expect((await search()).status).toBe(200);
  expect(sockets[1] === socket).toBe(false);
});
