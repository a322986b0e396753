import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { hindrances } from "../harness/fault-hindrances.ts";
import { freePorts } from "../harness/free-ports.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { holding, late, nothingFound, type Site, startSite, taking } from "../harness/site.ts";
import { configurationKeys } from "./configuration-keys.ts";
import { seenElsewhere } from "./seen-elsewhere.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Starts a gateway, and stops the gateway after the test. */
async function site(...parameters: Parameters<typeof startSite>): Promise<Site> {
  const started = await startSite(...parameters);
  onTestFinished(() => started.stop());
  return started;
}

/** A test that sets a configuration key to another value than the default, and checks the effect. */
type Effect = () => Promise<void>;

/**
 * Returns a test of a setting of the circuit breaker.
 * @param steps - the steps of the test, such as "fail 502, pass 1001, work 200". `fail` and `work` are searches while
 *   the insurer fails or works, with the status of the gateway's answer. `pass` lets milliseconds pass.
 */
function breakerEffect(breaker: object, steps: string): Effect {
  return async () => {
    const { fail, time, work } = await site({ breaker });
    const seen: string[] = [];
    for (const step of steps.split(", ")) {
      const [verb, milliseconds] = step.split(" ");
      if (verb === "pass") time.forward(Number(milliseconds));
      seen.push(verb === "pass" ? step : `${verb} ${await (verb === "fail" ? fail() : work())}`);
    }
    expect(seen.join(", ")).toBe(steps);
  };
}

const effects: Readonly<Record<string, Effect>> = {
  "listen.host": async () => {
    const { gateway } = await site({}, { listen: { host: "127.0.0.2" } });
    expect(new URL(gateway.address).hostname).toBe("127.0.0.2");
  },
  "listen.port": async () => {
    const [port] = await freePorts(1);
    const { gateway } = await site({}, { listen: { port } }, { PORT: undefined });
    expect(new URL(gateway.address).port).toBe(String(port));
  },
  "operations.host": async () => {
    const { gateway } = await site({}, { operations: { host: "127.0.0.2" } });
    expect(new URL(gateway.operationsAddress).hostname).toBe("127.0.0.2");
  },
  "operations.port": async () => {
    const [port] = await freePorts(1);
    const { gateway } = await site({}, { operations: { port } }, { OPERATIONS_PORT: undefined });
    expect(new URL(gateway.operationsAddress).port).toBe(String(port));
  },
  data: async () => {
    const { gateway } = await site({}, { data: "./elsewhere" });
    expect(existsSync(join(gateway.folder.path, "elsewhere", "submissions.sqlite"))).toBe(true);
  },
  "providers[]": async () => {
    const { ask } = await site({});
    expect((await ask("/provider-e/life/core/fast-pension-quote")).status).toBe(404);
  },
  "providers[].timeouts.connectMs": async () => {
    const hindered = await hindrances["never-accepted"].hinder({ baseUrl: "" });
    onTestFinished(() => hindered.close());
    // Two attempts fail within `totalMs` only if `connectMs` ends each attempt early. The second failure opens the
    // circuit breaker.
    const provider = {
      ...insurerConfiguration("d", hindered.baseUrl),
      timeouts: { connectMs: 100, totalMs: 2_900 },
      retries: { attempts: 2, firstWaitMs: 1 },
      breaker: { failuresInRow: 2 },
    };
    const { ask } = await site({}, { providers: [provider] });
    expect(await problemIn(await ask())).toMatchObject({ code: "PROVIDER_TIMEOUT" });
    expect((await problemIn(await ask())).detail).toContain("failed repeatedly");
  },
  "providers[].timeouts.totalMs": async () => {
    const { ask, insurer } = await site({ timeouts: { totalMs: 1_000 } });
    insurer.behaviour = late(5_000, nothingFound);
    expect(await problemIn(await ask())).toMatchObject({ code: "PROVIDER_TIMEOUT" });
  },
  "providers[].timeouts.submissionMs": async () => {
    const { insurer, submit } = await site({ timeouts: { submissionMs: 1_000 } });
    insurer.behaviour = late(5_000, taking());
    expect(await problemIn(await submit())).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  },
  "providers[].retries.attempts": async () => {
    const { fail, insurer } = await site({ retries: { attempts: 2, firstWaitMs: 1 } });
    await fail();
    expect(insurer.arrivals).toHaveLength(2);
  },
  "providers[].retries.firstWaitMs": async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    onTestFinished(() => void vi.restoreAllMocks());
    // The random number 0.5 halves the first wait to 300 s, which is longer than the remaining time of the call.
    const retries = { firstWaitMs: 600_000, longestWaitMs: 600_000 };
    const { fail, insurer } = await site({ retries });
    await fail();
    expect(insurer.arrivals).toHaveLength(1);
  },
  "providers[].retries.longestWaitMs": async () => {
    const { ask, insurer } = await site({ retries: { firstWaitMs: 1, longestWaitMs: 900 } });
    // The insurer requires a wait of one second: longer than `longestWaitMs`, but shorter than its default.
    insurer.behaviour = json(503, {}, { "retry-after": "1" });
    await ask();
    expect(insurer.arrivals).toHaveLength(1);
  },
  "providers[].retries.budgetPercent": async () => {
    const { fail, insurer } = await site({ retries: { firstWaitMs: 1, budgetPercent: 0 } });
    await fail();
    expect(insurer.arrivals).toHaveLength(1);
  },
  "providers[].breaker.failuresInRow": breakerEffect({ failuresInRow: 1 }, "fail 502, fail 503"),
  "providers[].breaker.failurePercent": breakerEffect(
    { failuresInRow: 10_000, minCalls: 4, failurePercent: 25 },
    "work 200, work 200, work 200, fail 502, fail 503",
  ),
  "providers[].breaker.minCalls": breakerEffect(
    { failuresInRow: 10_000, minCalls: 2 },
    "work 200, fail 502, fail 503",
  ),
  "providers[].breaker.windowMs": breakerEffect(
    { failuresInRow: 10_000, minCalls: 2, windowMs: 120_000 },
    "work 200, pass 60000, fail 502, fail 503",
  ),
  "providers[].breaker.openMs": breakerEffect(
    { failuresInRow: 1, openMs: 1_000 },
    "fail 502, pass 1001, work 200",
  ),
  // The test call of the circuit breaker fails. By default, the breaker would then stay open twice as long.
  "providers[].breaker.longestOpenMs": breakerEffect(
    { failuresInRow: 1, openMs: 1_000, longestOpenMs: 1_000 },
    "fail 502, pass 1001, fail 502, pass 1001, work 200",
  ),
  "providers[].bulkhead.running": async () => {
    const { ask, insurer } = await site({ bulkhead: { running: 1, queued: 0 } });
    const { behaviour, release } = holding(nothingFound);
    insurer.behaviour = behaviour;
    const arrived = insurer.nextArrival();
    const first = ask();
    await arrived;
    const second = ask();
    // If two calls could run, the second call would reach the insurer.
    const next = insurer.nextArrival().then(() => "arrived");
    expect(await Promise.race([second.then(({ status }) => status), next])).toBe(503);
    release();
    expect((await first).status).toBe(200);
  },
  "providers[].bulkhead.queued": async () => {
    const { ask, insurer } = await site({ bulkhead: { running: 1, queued: 1, queueMs: MINUTE } });
    const { behaviour, release } = holding(nothingFound);
    insurer.behaviour = behaviour;
    const arrived = insurer.nextArrival();
    const first = ask();
    await arrived;
    const others = [ask(), ask()];
    expect((await Promise.race(others)).status, "the gateway queues one of the two calls").toBe(
      503,
    );
    release();
    await Promise.all([first, ...others]);
  },
  "providers[].bulkhead.queueMs": async () => {
    const { ask, insurer } = await site({ bulkhead: { running: 1, queued: 1, queueMs: MINUTE } });
    // The second call waits longer for a slot than the default of `queueMs` allows.
    insurer.behaviour = late(400, nothingFound);
    const statuses = await Promise.all([ask(), ask()]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
  },
  "providers[].callerLimit.windowSeconds": async () => {
    const { ask, work } = await site({ callerLimit: { requests: 1, windowSeconds: 3_600 } });
    await work();
    expect(Number((await ask()).headers.get("retry-after"))).toBeGreaterThan(60);
  },
  "providers[].answers.jsonBytes": async () => {
    const { ask, insurer } = await site({ answers: { jsonBytes: 1_024 } });
    const more = { text: "x".repeat(1_024) };
    insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0, ...more });
    expect(await problemIn(await ask())).toMatchObject({ code: "PROVIDER_BAD_RESPONSE" });
  },
  "providers[].answers.documentBytes": async () => {
    const { ask, insurer } = await site({ answers: { documentBytes: 1_024 } });
    insurer.behaviour = (response) => {
      const pdf = `%PDF-1.7\n${"x".repeat(1_024)}\n%%EOF\n`;
      response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length });
      response.end(pdf);
    };
    const download = async (): Promise<number> => {
      const response = await ask("/provider-c/application/ipid?applicationId=C-0001");
      await response.arrayBuffer();
      return response.status;
    };
    expect(await download().catch(() => "cut off")).not.toBe(200);
  },
  "providers[].answers.staleHours": async () => {
    const { ask, insurer } = await site({ answers: { staleHours: 0 } });
    insurer.behaviour = json(200, { items: [] });
    expect((await ask("/provider-a/auto/brands")).status).toBe(200);
    insurer.behaviour = json(500, {});
    expect((await ask("/provider-a/auto/brands")).status).toBe(502);
  },
  "providers[].settings": async () => {
    const provider = {
      ...insurerConfiguration("d", "http://127.0.0.1:9"),
      settings: { tenant: "" },
    };
    await expect(startInProcess({ providers: [provider] })).rejects.toMatchObject({
      faults: ["providers[0].settings: this provider has no settings"],
    });
  },
  "providers[].compare.except[]": async () => {
    const { insurer, submit } = await site({ compare: { except: ["/vehicle/plateNumber"] } });
    const otherPlate = (application: object): object => {
      const { vehicle } = { vehicle: {}, ...application };
      return { ...application, vehicle: { ...vehicle, plateNumber: "ΑΒΓ-9999" } };
    };
    insurer.behaviour = taking(otherPlate);
    expect((await submit()).status).toBe(201);
    insurer.behaviour = taking((application) => ({
      ...otherPlate(application),
      applicationId: "D-999999",
      policy: { startDate: "2019-01-01", endDate: "2020-01-01", policyNumber: null },
    }));
    expect((await submit()).status, "the gateway still compares the other fields").toBe(504);
  },
  "submissions.answerKeptHours": async () => {
    const submissions = { answerKeptHours: 1, sameContentHours: 0 };
    const { insurer, pass, submit } = await site({}, { submissions });
    insurer.behaviour = taking();
    const [body, key] = [applicationBody(), randomUUID()];
    await submit(body, key);
    await pass(HOUR + 1);
    expect(await problemIn(await submit(body, key))).toMatchObject({ outcome: "executed" });
  },
  "submissions.keyRetentionDays": async () => {
    const submissions = { answerKeptHours: 1, keyRetentionDays: 1, sameContentHours: 0 };
    const { insurer, pass, submit } = await site({}, { submissions });
    insurer.behaviour = taking();
    const [body, key] = [applicationBody(), randomUUID()];
    await submit(body, key);
    await pass(24 * HOUR + 1);
    expect((await submit(body, key)).headers.get("idempotency-replayed")).toBeNull();
    expect(insurer.arrivals).toHaveLength(2);
  },
  "submissions.sameContentHours": async () => {
    const { insurer, submit } = await site({}, { submissions: { sameContentHours: 0 } });
    insurer.behaviour = taking();
    const body = applicationBody();
    await submit(body);
    expect((await submit(body)).headers.get("idempotency-replayed")).toBeNull();
    expect(insurer.arrivals).toHaveLength(2);
  },
  "submissions.queriesPerSecond": async () => {
    const { ask, insurer, submit, time } = await site({}, { submissions: { queriesPerSecond: 1 } });
    insurer.behaviour = (response, arrival) => {
      if (arrival.method === "POST") response.destroy();
      else nothingFound(response, arrival);
    };
    for (let count = 0; count < 2; count += 1) await submit();
    const queries = (): number =>
      insurer.arrivals.filter(({ url }) => url.includes("limit=100")).length;
    time.forward(2_000);
    const first = insurer.nextArrival();
    const begun = time.tick();
    await first;
    await ask();
    expect(queries()).toBe(1);
    // After another second, the gateway may send another query.
    time.forward(1_000);
    await Promise.all([begun, time.tick()]);
    expect(queries()).toBe(2);
  },
};

describe("the keys of the configuration", { timeout: 30_000 }, () => {
  it("every configuration key in the published JSON Schema has a test of the key's effect", () => {
    const keys = configurationKeys().map(([path]) => path);
    expect([...Object.keys(effects), ...Object.keys(seenElsewhere)].toSorted()).toEqual(
      keys.toSorted(),
    );
  });

  it.each(Object.entries(effects))(
    "the configuration key %s changes the gateway's behaviour",
    (_, effect) => effect(),
  );
});
