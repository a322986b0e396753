import { connect, type Socket } from "node:net";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { providerBefore, withoutOverload } from "../src/gateway/processes.ts";
import { workNamed } from "../src/gateway/works.ts";
import { type ProbedGateway, startProbedGateway } from "./harness/probed-gateway.ts";
import { startWorkInsurer, type WorkInsurer } from "./harness/work-insurer.ts";

const DOWNLOADS = 40;
const READINGS = 5;
const MOST_BYTES = 256 * 1_024;
/** One piece that the caller has not read. */
const LEAST_BYTES = 64 * 1_024;

let insurer: WorkInsurer;
let folder: GatewayFolder;
let token: string;
let gateway: ProbedGateway;
beforeAll(async () => {
  insurer = await startWorkInsurer();
  folder = makeGatewayFolder({
    ...withoutOverload,
    providers: [{ package: "@insurance-gateway/provider-c", ...providerBefore(insurer.baseUrl) }],
  });
  token = await developmentToken(folder.path);
  gateway = await startProbedGateway(folder.path, token);
});
afterAll(async () => {
  await gateway.stop();
  insurer.close();
  folder.remove();
});

/** Asks for a PDF of 10 MB and reads only its beginning. */
async function download(): Promise<Socket> {
  const { hostname, port } = new URL(gateway.origin);
  const socket = connect(Number(port), hostname);
  const head = `GET ${workNamed("large").path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`;
  await new Promise((resolve, reject) => {
    socket.once("readable", resolve).once("error", reject).write(head);
  });
  const beginning: Buffer | null = socket.read();
  expect(beginning?.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

/** The bytes that the gateway holds once nothing moves any more: the smallest of several readings between which the insurer sent nothing. */
async function settledBytes(): Promise<number> {
  let readings: number[] = [];
  for (let sent = -1; readings.length < READINGS; ) {
    const bytes = await gateway.usedBytes();
    const now = insurer.sentBytes();
    readings = now === sent ? [...readings, bytes] : [];
    sent = now;
  }
  return Math.min(...readings);
}

/** The bytes that the gateway holds for each of so many downloads that nobody reads. */
async function heldBytes(): Promise<number> {
  const before = await settledBytes();
  const sent = insurer.sentBytes();
  const sockets = await Promise.all(Array.from({ length: DOWNLOADS }, download));
  const during = await settledBytes();
  const received = insurer.sentBytes() - sent;
  for (const socket of sockets) socket.destroy();
  expect(received).toBeGreaterThan(DOWNLOADS * LEAST_BYTES);
  return (during - before) / DOWNLOADS;
}

it("a download that its caller does not read holds at most 256 kB", async () => {
  // The first round compiles the code and opens the connections.
  await heldBytes();
  const held = await heldBytes();
  expect(held).toBeGreaterThan(LEAST_BYTES);
  expect(held).toBeLessThanOrEqual(MOST_BYTES);
});
