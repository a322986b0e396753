import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "undici";
import { headersOf } from "./load.ts";
import { startGateway } from "./processes.ts";
import type { CallCounts, ProbeOrder } from "./request-probe.ts";
import { FROM_MEMORY, ON_POSTGRES, type Row } from "./rows.ts";
import { workNamed } from "./works.ts";

/** The functions that run for one request of a work, and the bytes that they allocate, but no times. */
export interface RequestCost {
  readonly work: string;
  /** The number of functions that run at least once per request, including functions of packages. */
  readonly functions: number;
  /** The number of files with these functions. */
  readonly files: number;
  /** The total number of function calls. */
  readonly calls: number;
  /** Bytes of new objects on the heap of the main thread. */
  readonly bytes: number;
}

/** Number of requests before the measurement, so that all code is loaded and compiled. */
const WARM_UP_REQUESTS = 60;
/** Number of batches. The batch with the lowest count is used, because V8 and the gateway also do other work. */
const BATCHES = 3;
const REQUESTS_PER_BATCH = 64;

/** Counts the functions and allocations of a request of each work, each with a separate gateway on SQLite. */
export async function requestCosts(
  rows: readonly Row[],
  insurer: string,
): Promise<readonly RequestCost[]> {
  const costs: RequestCost[] = [];
  for (const row of rows.filter(({ gateway }) => gateway !== ON_POSTGRES)) {
    const gateway = await startGateway(insurer, {
      name: row.gateway,
      provider: row.gateway === FROM_MEMORY ? {} : { answers: { freshMinutes: 0 } },
      options: [
        "--import",
        fileURLToPath(new URL("request-probe.ts", import.meta.url)),
        // In MB: large enough that no garbage collection happens during a batch.
        "--min-semi-space-size=64",
        "--max-semi-space-size=64",
      ],
      hasChannel: true,
    });
    const ask = async <Answer>(order: ProbeOrder): Promise<Answer> => {
      gateway.child.send(order);
      const [answer] = await once(gateway.child, "message");
      // The probe answers each message with the type of this message.
      return answer as Answer;
    };
    const client = new Client(gateway.origin);
    const send = (count: number): Promise<void> =>
      sendInTurn(client, gateway.token, row.work, count);
    try {
      await send(WARM_UP_REQUESTS);
      const found: Omit<RequestCost, "work">[] = [];
      while (found.length < BATCHES) {
        const before = await ask<number>("heap");
        await send(REQUESTS_PER_BATCH);
        const bytes = ((await ask<number>("heap")) - before) / REQUESTS_PER_BATCH;
        await ask("startCoverage");
        await send(REQUESTS_PER_BATCH);
        const counts = await ask<CallCounts>("takeCoverage");
        const ran = counts.map(
          (file) => file.filter((count) => count >= REQUESTS_PER_BATCH).length,
        );
        found.push({
          functions: ran.reduce((sum, count) => sum + count, 0),
          files: ran.filter((count) => count > 0).length,
          calls: Math.round(
            counts.flat().reduce((sum, count) => sum + count, 0) / REQUESTS_PER_BATCH,
          ),
          // A garbage collection during the batch would hide allocations.
          bytes: bytes > 0 ? Math.round(bytes) : Number.POSITIVE_INFINITY,
        });
      }
      const least = (key: keyof (typeof found)[number]): number =>
        Math.min(...found.map((one) => one[key]));
      costs.push({
        work: row.name,
        functions: least("functions"),
        files: least("files"),
        calls: least("calls"),
        bytes: least("bytes"),
      });
    } finally {
      await client.close();
      await gateway.stop();
    }
  }
  return costs;
}

async function sendInTurn(
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
