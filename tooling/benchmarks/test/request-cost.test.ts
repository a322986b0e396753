import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  programEnvironment,
} from "@insurance-gateway/running-gateway";
import { Client } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headersOf } from "../src/gateway/load.ts";
import { freePort, providerBefore } from "../src/gateway/processes.ts";
import { workAt, workNamed } from "../src/gateway/works.ts";
import type { CallCounts, HeapState, ProbeOrder } from "./harness/request-probe.ts";

/** Requests that come first, so that everything is loaded and compiled. */
const WARM_UP = 60;
/** The bytes are those of the batch that allocates least: the others also have what V8 compiles meanwhile. */
const BATCHES = 3;
const BATCH = 20;
const COVERED = 10;

const insurer: Server = createServer((request, response) => {
  request.setEncoding("utf8");
  let text = "";
  request.on("data", (piece: string) => {
    text += piece;
  });
  request.on("end", () => {
    const work = workAt(request.url ?? "");
    if (work === undefined) return void response.writeHead(404).end();
    const { body, type } = work.answer(text);
    response.writeHead(work.status, { "content-type": type }).end(body);
  });
});
let folder: GatewayFolder;
let gateway: ChildProcess;
let client: Client;
let token: string;

beforeAll(async () => {
  await once(insurer.listen(0, "127.0.0.1"), "listening");
  const address = insurer.address();
  if (address === null || typeof address === "string") throw new TypeError("TCP has a port");
  folder = makeGatewayFolder({
    providers: ["a", "d", "e"].map((letter) => ({
      package: `@insurance-gateway/provider-${letter}`,
      ...providerBefore(`http://127.0.0.1:${address.port}`),
      answers: { freshMinutes: 0 },
    })),
  });
  token = await developmentToken(folder.path);
  const port = await freePort();
  const program = "../../../apps/gateway/bin/insurance-gateway.js";
  gateway = fork(fileURLToPath(new URL(program, import.meta.url)), ["serve"], {
    cwd: folder.path,
    env: programEnvironment({ PORT: String(port), OPERATIONS_PORT: "0" }),
    execArgv: [
      "--import",
      fileURLToPath(new URL("harness/request-probe.ts", import.meta.url)),
      // In MB: so much is allocated before garbage is collected.
      "--min-semi-space-size=64",
      "--max-semi-space-size=64",
    ],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  await serving(gateway);
  client = new Client(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await client.close();
  gateway.kill("SIGTERM");
  await once(gateway, "exit");
  insurer.close();
  folder.remove();
});

/**
 * Waits until the gateway has printed that it serves.
 * @throws an Error with what it printed when it ends before that
 */
async function serving(child: ChildProcess): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.includes("Operations")) resolve();
  });
  child.once("error", reject);
  child.once("close", (code) =>
    reject(new Error(`The gateway ended with ${code} before it served:\n${output}${errors}`)),
  );
  await promise;
}

async function ask<Answer>(order: ProbeOrder): Promise<Answer> {
  gateway.send(order);
  const [answer] = await once(gateway, "message");
  // The probe answers each order with its own type.
  return answer as Answer;
}

/** Sends requests of a work one after the other. */
async function send(name: string, count: number): Promise<void> {
  const work = workNamed(name);
  for (let number = 0; number < count; number += 1) {
    const content = work.body();
    const { body, statusCode } = await client.request({
      method: work.method,
      path: work.path,
      headers: headersOf(work, token, randomUUID()),
      body: content === null ? null : JSON.stringify(content),
    });
    const text = await body.text();
    if (statusCode !== work.status) throw new Error(`${statusCode} ${text}`);
  }
}

/** Bytes that one request allocates on the heap of the gateway's main thread. */
async function allocatedBytes(name: string): Promise<number> {
  await send(name, WARM_UP);
  const batches: number[] = [];
  for (let number = 0; number < BATCHES; number += 1) {
    const before = await ask<HeapState>("heap");
    await send(name, BATCH);
    const after = await ask<HeapState>("heap");
    const bytes = after.bytes - before.bytes;
    // A collection in between would hide what was allocated.
    if (after.collections === before.collections && bytes > 0) batches.push(bytes);
  }
  return Math.min(...batches) / BATCH;
}

/** Functions, the gateway's own and those of packages, that run at least once for each request. */
async function functionsRun(name: string): Promise<number> {
  await ask("startCoverage");
  await send(name, COVERED);
  const counts = await ask<CallCounts>("takeCoverage");
  return counts.filter((count) => count >= COVERED).length;
}

/** Every request runs more than these: a coverage that counts nothing fails. */
const LEAST_FUNCTIONS = 200;

/** A fifth above what was measured on 2026-11-23: lower them when a request has become cheaper. */
describe("a request at the built gateway", () => {
  it.each([
    { work: "quote", bytes: 176_000, functions: 628 },
    { work: "lookup", bytes: 186_000, functions: 541 },
    { work: "submission", bytes: 253_000, functions: 694 },
  ])("runs no more functions and allocates no more than before: $work", async (most) => {
    const bytes = await allocatedBytes(most.work);
    const functions = await functionsRun(most.work);
    expect(bytes).toBeLessThanOrEqual(most.bytes);
    expect(functions).toBeGreaterThan(LEAST_FUNCTIONS);
    expect(functions).toBeLessThanOrEqual(most.functions);
  });
});
