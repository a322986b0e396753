import { isDeepStrictEqual } from "node:util";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createDays } from "../../../src/accounts/usage/days.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { UsageRow } from "../../../src/store/stored-usage.ts";
import { waitForLeases } from "../../chaos/aftermath.ts";
import { applicationOf, submit } from "../../chaos/callers.ts";
import { type Deployment, deploy } from "../../chaos/deployment.ts";
import { createPostgresPlace } from "../../chaos/place.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let deployment: Deployment;
afterEach(() => deployment.close());

/** Number of times that a process is killed and started again. */
const KILLS = Number(process.env.CHAOS_USAGE_KILLS ?? 4);
/** Number of answers that the callers receive before the next process is killed. */
const ANSWERS_BETWEEN = 1_200;
/** Maximum time in which the callers must receive `ANSWERS_BETWEEN` answers, in milliseconds. */
const ANSWERS_WITHIN_MS = 120_000;
const CALLERS = 6;

async function start(more: object): Promise<void> {
  const place = await createPostgresPlace(server, { isBroken: false });
  deployment = await deploy(place, () => ({ does: "answers", afterMs: 20 }), more);
}

/** Returns today's usage of an endpoint in the store. */
async function usageOf(endpoint: string): Promise<UsageRow | undefined> {
  const url = deployment.place.environment.DATABASE_URL ?? "";
  const store = await openPostgresStore({ url, mode: "beside" });
  try {
    const today = createDays("Europe/Athens").dayOf(Date.now());
    const rows = await store.usageOn(today, null);
    return rows.find((row) => row.endpoint === endpoint);
  } finally {
    await store.close();
  }
}

/**
 * Reads the submissions and the usage of one moment. Reads both again if the usage has changed meanwhile, because
 * reconciliation may conclude a submission between two reads.
 */
async function atOneMoment(): Promise<{
  readonly records: Awaited<ReturnType<Deployment["records"]>>;
  readonly used: UsageRow | undefined;
}> {
  for (;;) {
    const before = await usageOf("createApplication");
    const records = await deployment.records();
    const used = await usageOf("createApplication");
    if (isDeepStrictEqual(before, used)) return { records, used };
  }
}

/** Searches of several callers, which run until a signal aborts. */
interface Searches {
  readonly ended: Promise<void>;
  readonly answered: number;
  readonly broken: number;
}

async function waitForAnswers(searches: Searches): Promise<void> {
  const wanted = searches.answered + ANSWERS_BETWEEN;
  await expect
    .poll(() => searches.answered, { timeout: ANSWERS_WITHIN_MS })
    .toBeGreaterThanOrEqual(wanted);
}

/** Kills one process after another, each after the callers have received some answers. */
async function killInTurn(searches: Searches): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await waitForAnswers(searches);
    const victim = deployment.replicas[kill % deployment.replicas.length];
    await victim?.kill();
    await victim?.start();
  }
  await waitForAnswers(searches);
}

function keepSearching(stopped: AbortSignal): Searches {
  const { address, token } = deployment;
  const headers = { authorization: `Bearer ${token}`, connection: "close" };
  const count = { answered: 0, broken: 0 };
  const search = async (): Promise<void> => {
    while (!stopped.aborted) {
      try {
        const url = `${address}/provider-d/applications/search?clientAfm=123456789`;
        await (await fetch(url, { headers })).text();
        count.answered += 1;
      } catch {
        count.broken += 1;
      }
    }
  };
  const ended = Promise.all(Array.from({ length: CALLERS }, search)).then(() => {});
  return Object.assign(count, { ended });
}

describe("usage counted by two processes that are killed in turn", () => {
  it("the usage in the store includes every submission, and the number of calls in the store is wrong by at most 1 %", async () => {
    await start({});
    const stopped = new AbortController();
    const searches = keepSearching(stopped.signal);
    let sent = 0;
    const answers: number[] = [];
    const submitting = Promise.all(
      Array.from({ length: 2 }, async () => {
        while (!stopped.signal.aborted) {
          sent += 1;
          answers.push((await submit(deployment, applicationOf(sent)))?.status ?? 0);
        }
      }),
    );
    await killInTurn(searches);
    stopped.abort();
    await searches.ended;
    await submitting;
    await waitForLeases(deployment);

    const { records, used } = await atOneMoment();
    const inState = (...states: readonly string[]): number =>
      records.filter(({ state }) => states.includes(state)).length;
    expect(used).toMatchObject({
      succeeded: inState("succeeded"),
      failed: inState("failed"),
      unknown: inState("outcome_unknown", "needs_review"),
      inFlight: 0,
    });
    const { succeeded = 0, unknown = 0 } = used ?? {};
    const created = answers.filter((status) => status === 201).length;
    expect(succeeded).toBeGreaterThanOrEqual(created);
    expect(created).toBeGreaterThan(0);
    const arrived = deployment.insurer.arrivals().length;
    expect(arrived).toBeGreaterThanOrEqual(succeeded);
    expect(arrived).toBeLessThanOrEqual(succeeded + unknown);

    const { calls = 0 } = (await usageOf("searchApplications")) ?? {};
    const { answered, broken } = searches;
    process.stderr.write(
      `usage: ${answered} searches answered, ${broken} broken off, ${calls} counted; ${records.length} submissions\n`,
    );
    expect(calls).toBeGreaterThanOrEqual(answered * 0.99);
    // The usage may include searches whose connection broke. It never includes the gateway's reconciliation queries.
    expect(calls).toBeLessThanOrEqual(answered + broken);
  });
});

describe("a quota of submissions in two processes, one of which is killed", () => {
  it("two processes together accept exactly the quota of submissions even if one process is killed", async () => {
    const quota = 30;
    await start({ accounts: { quotas: { submissionsPerDay: quota } } });
    const [victim] = deployment.replicas;
    const statuses: number[] = [];
    let sent = 0;
    await Promise.all([
      ...Array.from({ length: CALLERS }, async () => {
        while (statuses.filter((status) => status === 429).length < 20) {
          sent += 1;
          statuses.push((await submit(deployment, applicationOf(sent)))?.status ?? 0);
        }
      }),
      victim.kill().then(() => victim.start()),
    ]);
    expect(await deployment.records()).toHaveLength(quota);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(quota);
  });
});
