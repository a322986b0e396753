import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";
import { makeStoreOnce, programEnvironment } from "@insurance-gateway/running-gateway";
import { Client } from "undici";
import { headersOf } from "../../src/gateway/load.ts";
import { workNamed } from "../../src/gateway/works.ts";
import type { CallCounts, HeapState, ProbeOrder } from "./request-probe.ts";

/** Requests that come first, so that everything is loaded and compiled. */
const WARM_UP = 60;
/**
 * The bytes are those of the batch that allocates least; functions and calls are the fewest of any batch. The other batches
 * also have what V8 compiles meanwhile, and what the gateway runs to compile schemas beside requests.
 */
const BATCHES = 3;
/** So many requests are counted for the metrics together: each batch has that once. */
const BATCH = 64;
/** So many requests each connection sends that is idle in between. */
const TURNS = 4;
/** So often what requests hold is measured, until old objects are not collected meanwhile. */
const TIMES = 5;
/** So many collections free everything. */
const COLLECTIONS = 5;

/** The built gateway in a process that says what a request costs, without a clock. */
export interface ProbedGateway {
  readonly origin: string;
  /** Bytes of new objects that one request of a work makes on the heap of the gateway's main thread. */
  allocatedBytes(work: string): Promise<number>;
  /** Bytes per request still on the heap after a minor collection. */
  heldBytes(work: string, requests: number): Promise<number>;
  /** The same of requests that so many connections send in turn, each idle from one of its requests to the next. */
  heldByIdle(work: string, connections: number): Promise<number>;
  /** Bytes that each of so many open connections holds after its first request, once all garbage is collected. */
  heldByConnection(work: string, connections: number): Promise<number>;
  /** Bytes of all objects and buffers once all garbage is collected. */
  usedBytes(): Promise<number>;
  /** Functions, the gateway's own and those of packages, that run for one request of a work. */
  functionsRun(work: string): Promise<FunctionsRun>;
  /** How often a token is hashed for one request of a work on a connection that has sent such requests before. */
  tokenHashes(work: string): Promise<number>;
  /** The same on a connection that has sent nothing before. */
  tokenHashesOnNewConnection(work: string): Promise<number>;
  /** The most pieces in which the answer to a request of a work arrives. It must fit into one read of a socket, 64 kB. */
  piecesOf(work: string): Promise<number>;
  stop(): Promise<void>;
}

/** The functions that run for a request. */
export interface FunctionsRun {
  /** How many run at least once for each request. */
  readonly functions: number;
  /** How many files they are in. */
  readonly files: number;
  /** How often functions are called for one request, all together. */
  readonly calls: number;
}

/**
 * Starts the built gateway in a folder and waits until it serves.
 * @param token - of the callers
 * @param environment - variables that its configuration names
 * @throws an Error with what it printed when it ends before that
 */
export async function startProbedGateway(
  folder: string,
  token: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ProbedGateway> {
  const program = "../../../../apps/gateway/bin/insurance-gateway.js";
  await makeStoreOnce(folder, environment);
  const gateway = fork(fileURLToPath(new URL(program, import.meta.url)), ["serve"], {
    cwd: folder,
    env: programEnvironment({ PORT: "0", OPERATIONS_PORT: "0", ...environment }),
    execArgv: [
      "--import",
      fileURLToPath(new URL("request-probe.ts", import.meta.url)),
      // In MB: so much is allocated before garbage is collected.
      "--min-semi-space-size=64",
      "--max-semi-space-size=64",
    ],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const origin = await serving(gateway);
  const client = new Client(origin);
  const send = (name: string, count: number): Promise<void> =>
    sendRequests(client, token, name, count);

  async function ask<Answer>(order: ProbeOrder): Promise<Answer> {
    gateway.send(order);
    const [answer] = await once(gateway, "message");
    // The probe answers each order with its own type.
    return answer as Answer;
  }

  /** Bytes that are on the heap after the requests and a minor collection, and were not before. */
  async function held(work: string, sendAll: () => Promise<void>): Promise<number> {
    for (let time = 0; time < TIMES; time += 1) {
      const before = await ask<HeapState>("collectYoung");
      await sendAll();
      const after = await ask<HeapState>("collectYoung");
      // A collection of old objects in between frees what requests held, and earlier objects with it.
      // Without one, requests that leave nothing can end below the heap before them, which is no failure.
      if (after.fullCollections === before.fullCollections)
        return Math.max(0, after.bytes - before.bytes);
    }
    throw new Error(`Old objects were collected each time that ${work} was measured`);
  }

  async function usedBytes(): Promise<number> {
    return (await ask<HeapState>("collectAll")).bytes;
  }

  /** The same, once nothing more is freed: objects that one collection frees may refer to what only the next one can free. */
  async function settledBytes(): Promise<number> {
    for (let time = 1; time < COLLECTIONS; time += 1) await usedBytes();
    return usedBytes();
  }

  /** Measures while so many connections are open, each of which has sent one request. */
  async function withConnections(
    work: string,
    count: number,
    measure: (sendEach: () => Promise<void>) => Promise<number>,
  ): Promise<number> {
    const clients = Array.from({ length: count }, () => new Client(origin));
    const sendEach = async (): Promise<void> => {
      for (const one of clients) await sendRequests(one, token, work, 1);
    };
    try {
      await sendEach();
      return await measure(sendEach);
    } finally {
      await Promise.all(clients.map((one) => one.close()));
    }
  }

  async function covered(work: string): Promise<FunctionsRun> {
    await ask("startCoverage");
    await send(work, BATCH);
    const counts = await ask<CallCounts>("takeCoverage");
    const functionsOf = counts.map((file) => file.filter((count) => count >= BATCH).length);
    return {
      functions: functionsOf.reduce((sum, count) => sum + count, 0),
      files: functionsOf.filter((count) => count > 0).length,
      calls: counts.flat().reduce((sum, count) => sum + count, 0) / BATCH,
    };
  }

  /** How often a token is hashed for each of the requests of a batch. */
  async function countTokenHashes(sendBatch: () => Promise<void>): Promise<number> {
    await ask("startTokenHashes");
    await sendBatch();
    return (await ask<number>("takeTokenHashes")) / BATCH;
  }

  return {
    origin,
    async allocatedBytes(work) {
      await send(work, WARM_UP);
      const batches: number[] = [];
      for (let number = 0; number < BATCHES; number += 1) {
        const before = await ask<HeapState>("heap");
        await send(work, BATCH);
        const after = await ask<HeapState>("heap");
        const bytes = after.bytes - before.bytes;
        // A collection in between would hide what was allocated.
        if (after.collections === before.collections && bytes > 0) batches.push(bytes);
      }
      if (batches.length === 0) throw new Error(`Garbage was collected in each batch of ${work}`);
      return Math.min(...batches) / BATCH;
    },
    async heldBytes(work, requests) {
      await send(work, WARM_UP);
      return (await held(work, () => send(work, requests))) / requests;
    },
    async heldByConnection(work, connections) {
      // Node keeps the parsers of connections that were closed.
      await withConnections(work, connections, settledBytes);
      const before = await settledBytes();
      const after = await withConnections(work, connections, settledBytes);
      return (after - before) / connections;
    },
    async heldByIdle(work, connections) {
      const bytes = await withConnections(work, connections, (sendEach) =>
        held(work, async () => {
          for (let turn = 0; turn < TURNS; turn += 1) {
            await sendEach();
            await ask("collectYoung");
          }
        }),
      );
      return bytes / (TURNS * connections);
    },
    usedBytes,
    async functionsRun(work) {
      const batches: FunctionsRun[] = [];
      for (let number = 0; number < BATCHES; number += 1) batches.push(await covered(work));
      return {
        functions: Math.min(...batches.map(({ functions }) => functions)),
        files: Math.min(...batches.map(({ files }) => files)),
        calls: Math.min(...batches.map(({ calls }) => calls)),
      };
    },
    async tokenHashes(work) {
      await send(work, WARM_UP);
      return countTokenHashes(() => send(work, BATCH));
    },
    async tokenHashesOnNewConnection(work) {
      await send(work, WARM_UP);
      return countTokenHashes(async () => {
        for (let number = 0; number < BATCH; number += 1) {
          const one = new Client(origin);
          await sendRequests(one, token, work, 1);
          await one.close();
        }
      });
    },
    async piecesOf(work) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const pieces: number[] = [];
      for (let number = 0; number < BATCH; number += 1)
        pieces.push(await piecesOfAnswer(agent, origin, token, work));
      agent.destroy();
      return Math.max(...pieces);
    },
    async stop() {
      await client.close();
      gateway.kill("SIGTERM");
      await once(gateway, "exit");
    },
  };
}

/** Waits until a gateway serves, and returns its origin. */
async function serving(child: ChildProcess): Promise<string> {
  const { promise, reject, resolve } = Promise.withResolvers<string>();
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const [origin] = output.match(/http:\/\/127\.0\.0\.1:\d+/) ?? [];
    if (origin !== undefined && output.includes("Operations")) resolve(origin);
  });
  child.once("error", reject);
  child.once("close", (code) =>
    reject(new Error(`The gateway ended with ${code} before it served:\n${output}${errors}`)),
  );
  return promise;
}

/** Sends a request and counts how often bytes of its answer arrive. */
async function piecesOfAnswer(
  agent: Agent,
  origin: string,
  token: string,
  name: string,
): Promise<number> {
  const work = workNamed(name);
  const content = work.body();
  const request = httpRequest(new URL(work.path, origin), {
    method: work.method,
    headers: headersOf(work, token, randomUUID()),
    agent,
  });
  let pieces = 0;
  const countPiece = (): void => {
    pieces += 1;
  };
  request.once("socket", (socket) => socket.on("data", countPiece));
  request.end(content === null ? undefined : JSON.stringify(content));
  const [response] = await once(request, "response");
  await once(response.resume(), "end");
  request.socket?.off("data", countPiece);
  if (response.statusCode !== work.status)
    throw new Error(`${name} was answered with ${response.statusCode}`);
  return pieces;
}

/** Sends requests of a work one after the other. */
async function sendRequests(
  client: Client,
  token: string,
  name: string,
  count: number,
): Promise<void> {
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
