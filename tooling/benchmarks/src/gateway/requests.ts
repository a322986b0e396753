import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "undici";
import { headersOf } from "./load.ts";
import { startGateway } from "./processes.ts";
import type { CallCounts, ProbeOrder } from "./request-probe.ts";
import { FROM_MEMORY, ON_POSTGRES, type Row } from "./rows.ts";
import { workNamed } from "./works.ts";

/** The functions that one request of a work runs and the bytes that it allocates, without a clock. */
export interface RequestCost {
  readonly work: string;
  /** How many functions run at least once for each request, the gateway's own and those of packages. */
  readonly functions: number;
  /** How many files they are in. */
  readonly files: number;
  /** How often functions are called, all together. */
  readonly calls: number;
  /** New objects on the heap of the main thread. */
  readonly bytes: number;
}

/** Requests that come first, so that everything is loaded and compiled. */
const WARM_UP = 60;
/** V8 compiles and the gateway works beside requests, so the least of several batches counts. */
const BATCHES = 3;
const BATCH = 64;

/** Counts what a request of each work on SQLite runs and allocates, at a gateway of its own. */
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
        // In MB: no garbage is collected while a batch is counted.
        "--min-semi-space-size=64",
        "--max-semi-space-size=64",
      ],
      hasChannel: true,
    });
    const ask = async <Answer>(order: ProbeOrder): Promise<Answer> => {
      gateway.child.send(order);
      const [answer] = await once(gateway.child, "message");
      // The probe answers each order with its own type.
      return answer as Answer;
    };
    const client = new Client(gateway.origin);
    const send = (count: number): Promise<void> =>
      sendInTurn(client, gateway.token, row.work, count);
    try {
      await send(WARM_UP);
      const found: Omit<RequestCost, "work">[] = [];
      while (found.length < BATCHES) {
        const before = await ask<number>("heap");
        await send(BATCH);
        const bytes = ((await ask<number>("heap")) - before) / BATCH;
        await ask("startCoverage");
        await send(BATCH);
        const counts = await ask<CallCounts>("takeCoverage");
        const ran = counts.map((file) => file.filter((count) => count >= BATCH).length);
        found.push({
          functions: ran.reduce((sum, count) => sum + count, 0),
          files: ran.filter((count) => count > 0).length,
          calls: Math.round(counts.flat().reduce((sum, count) => sum + count, 0) / BATCH),
          // A collection in between hides what was allocated.
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
