import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { startPostgres } from "@insurance-gateway/running-postgres";
// @boundaries-ignore the store is the gateway's own and no package exports it
import { openPostgresStore } from "../../../apps/gateway/src/store/postgres/postgres-store.ts";
// @boundaries-ignore the store is the gateway's own and no package exports it
import { openSqliteStore } from "../../../apps/gateway/src/store/sqlite/sqlite-store.ts";
// @boundaries-ignore the store is the gateway's own and no package exports it
import type { SubmissionStore } from "../../../apps/gateway/src/store/store.ts";
import { readNumbers } from "./command-line.ts";
import { type LoopFigures, watchLoop } from "./event-loop.ts";
import { markdownTable } from "./markdown-table.ts";
import { percentile } from "./percentile.ts";

const asked = readNumbers(
  `npm run bench:store -- [OPTION]...

Measures each store of submissions under a constant load: how long a claim and a settlement take, and how
long they hold the event loop. It starts a PostgreSQL server of its own.`,
  {
    rate: { about: "submissions a second", byDefault: 500 },
    seconds: { about: "how long the load lasts", byDefault: 30 },
  },
);

/** What one store did under the load. */
interface StoreFigures extends LoopFigures {
  readonly store: string;
  readonly "submissions/s": number;
  readonly "claim p50 ms": number;
  readonly "claim p99 ms": number;
  readonly "settle p99 ms": number;
  /** How long a call holds the loop by itself. */
  readonly "call p99.9 ms": number;
  readonly "call max ms": number;
}

process.stdout.write(
  `${asked.rate} submissions a second for ${asked.seconds} s, two commits each, and how long the event loop was held:\n\n`,
);
const rows = [{ ...(await idle()) }, { ...(await sqlite()) }, { ...(await postgres()) }];
process.stdout.write(`${markdownTable(rows)}\n`);

/** What the machine and the load itself cost, without a store. */
function idle(): Promise<StoreFigures> {
  return measure(
    "none",
    async () => {},
    async () => {},
  );
}

async function sqlite(): Promise<StoreFigures> {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-benchmark-"));
  const store = await openSqliteStore({ file: join(folder, "submissions.sqlite"), mode: "serve" });
  const result = await measureStore("SQLite", store);
  await store.close();
  rmSync(folder, { recursive: true });
  return result;
}

async function postgres(): Promise<StoreFigures> {
  const server = await startPostgres();
  const store = await openPostgresStore({ url: server.url, mode: "serve" });
  const result = await measureStore("PostgreSQL", store);
  await store.close();
  await server.remove();
  return result;
}

function measureStore(name: string, store: SubmissionStore): Promise<StoreFigures> {
  return measure(
    name,
    async (id) => {
      await store.claim(
        {
          id,
          caller: randomBytes(16),
          keyDigest: randomBytes(16),
          hasChosenKey: true,
          contentDigest: randomBytes(16),
          matchDigest: randomBytes(16),
          searchDigest: randomBytes(16),
          series: "searchApplications",
          provider: "provider-d",
          segment: "provider-d",
          connection: "default",
          endpoint: "createApplication",
          creates: true,
          receivedAt: Date.now(),
          receivedRunning: Date.now(),
          day: new Date().toISOString().slice(0, 10),
          leaseUntil: Date.now() + 60_000,
          matchFields: randomBytes(200),
          keyId: "one",
        },
        { compared: true, succeededSince: 0, quota: null },
      );
    },
    async (id) => {
      await store.settle({
        id,
        state: "succeeded",
        at: Date.now(),
        running: Date.now(),
        insurerId: null,
        unique: "provider",
        rivals: null,
        recheck: null,
        closed: false,
        answer: randomBytes(1_024),
        keyId: "one",
        answerUntil: Date.now() + 1_000_000,
        forgetAt: Date.now() + 1_000_000,
      });
    },
  );
}

async function measure(
  store: string,
  claim: (id: string) => Promise<void>,
  settle: (id: string) => Promise<void>,
): Promise<StoreFigures> {
  const claims: number[] = [];
  const settles: number[] = [];
  const calls: number[] = [];
  const submit = async (): Promise<void> => {
    const id = randomUUID();
    claims.push(await timed(() => claim(id), calls));
    settles.push(await timed(() => settle(id), calls));
  };
  // What comes first is compiled first.
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, submit));
  claims.length = settles.length = calls.length = 0;
  const loop = watchLoop();
  const begin = performance.now();
  const underway: Promise<void>[] = [];
  for (let sent = 0; sent < asked.rate * asked.seconds; sent++) {
    const wait = begin + (sent * 1_000) / asked.rate - performance.now();
    if (wait > 0) await setTimeout(wait);
    else await setImmediate();
    underway.push(submit());
  }
  await Promise.all(underway);
  const seconds = (performance.now() - begin) / 1_000;
  return {
    store,
    "submissions/s": Math.round(claims.length / seconds),
    "claim p50 ms": percentile(claims, 0.5),
    "claim p99 ms": percentile(claims, 0.99),
    "settle p99 ms": percentile(settles, 0.99),
    "call p99.9 ms": percentile(calls, 0.999),
    "call max ms": percentile(calls, 1),
    ...loop.stop(),
  };
}

async function timed(work: () => Promise<void>, calls: number[]): Promise<number> {
  const begin = performance.now();
  const done = work();
  // Until the call gives its promise, it holds the event loop.
  calls.push(performance.now() - begin);
  await done;
  return performance.now() - begin;
}
