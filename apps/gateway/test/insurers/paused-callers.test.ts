import { connect, type Socket } from "node:net";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { holdTimers } from "../harness/held-timers.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

const PACKAGE = `
import { defineProvider, document, pdf } from "@insurance-gateway/core/contract";
const provider = "provider-m";
const file = { fileName: "policy", files: [pdf] };
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    downloadStreamed: document({ provider, path: "/streamed", ...file }),
    downloadWhole: document({ provider, path: "/whole", ...file }),
  },
});`;

/**
 * Adapter for two documents. It passes on `/streamed` while the document arrives, and `/whole` after the whole document
 * has arrived.
 */
const ADAPTER = `
async function* slicesOf(whole) {
  for (let at = 0; at < whole.length; at += 65_536) {
    yield whole.subarray(at, at + 65_536);
    yield new Uint8Array();
  }
}
export const adapter = {
  name: "m",
  failures: [],
  async call({ path }, input, send) {
    const response = await send({ method: "GET", path });
    const content = path === "/streamed" ? response.stream() : slicesOf(await response.bytes());
    return { type: "document", mediaType: "application/pdf", content };
  },
};`;

/** A document that is larger than all buffers of the connections between the insurer and the caller. */
const DOCUMENT = Buffer.concat([
  Buffer.from("%PDF-1.7\n"),
  Buffer.alloc(16_000_000, "x"),
  Buffer.from("%%EOF"),
]);

/** The time limit of a call, in milliseconds. */
const TOTAL_MS = 2_000;

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer((response) =>
    response.writeHead(200, { "content-type": "application/pdf" }).end(DOCUMENT),
  );
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const provider = insurerConfiguration("m", insurer.baseUrl, { adapter: undefined });
  gateway = await startInProcess(
    { providers: [{ ...provider, package: "provider-m", timeouts: { totalMs: TOTAL_MS } }] },
    {},
    { folder },
  );
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Requests a document and reads only its beginning; returns the connection and the request's id. */
function beginDownload(path: string): Promise<{ readonly caller: Socket; readonly id: string }> {
  const { hostname, port } = new URL(gateway.address);
  const caller = connect(Number(port), hostname);
  caller.write(
    `GET /provider-m${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.token}\r\n\r\n`,
  );
  return new Promise((resolve) => {
    caller.once("data", (head) => {
      caller.pause();
      const [, id = "none"] = /x-request-id: (\S+)/i.exec(head.toString("latin1")) ?? [];
      resolve({ caller, id });
    });
  });
}

async function metrics(name: string): Promise<readonly string[]> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  return text.split("\n").filter((line) => line.startsWith(`insurance_gateway_${name}{`));
}

/** Returns the log lines of a request after the request has ended. */
async function linesAbout(id: string): Promise<readonly Record<string, unknown>[]> {
  const lines = (): readonly string[] => gateway.log.filter((line) => line.includes(id));
  await expect.poll(lines).toContainEqual(expect.stringContaining('"msg":"request"'));
  return lines().map((line) => JSON.parse(line));
}

const endOfSlowCaller = expect.objectContaining({
  msg: "request",
  status: 200,
  code: null,
  outcome: null,
  reason: null,
  callerGone: true,
});

it.each(["/whole", "/streamed"])(
  "the caller receives a complete document even if some pieces of its content are empty: %s",
  async (path) => {
    const answer = await gateway.ask(`/provider-m${path}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(DOCUMENT)).toBe(true);
  },
);

it("a caller that reads a document in memory too slowly does not cause a timeout of the insurer", async () => {
  holdTimers(["setTimeout", "clearTimeout"]);
  const { caller, id } = await beginDownload("/whole");
  vi.advanceTimersByTime(TOTAL_MS);
  expect(await linesAbout(id)).toEqual([endOfSlowCaller]);
  expect(await metrics("requests_total")).not.toContainEqual(expect.stringContaining("TIMEOUT"));
  caller.destroy();
});

it("a caller that reads a streamed document too slowly does not cause a timeout of the insurer", async () => {
  const { caller, id } = await beginDownload("/streamed");
  // No event shows when the buffers of the connections are full, so this test waits until the real time limit ends.
  await expect
    .poll(() => metrics("attempts_total"))
    .toContainEqual(expect.stringMatching(/downloadStreamed.*"cancelled".* 1$/));
  caller.on("error", () => {}).resume();
  expect(await linesAbout(id)).toEqual([endOfSlowCaller]);
  expect(await metrics("requests_total")).not.toContainEqual(expect.stringContaining("TIMEOUT"));
  caller.destroy();
});
