import { expect, it, onTestFinished, vi } from "vitest";
import { nothingFound, type Site, startSite } from "../configuration/effects.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

async function start(provider: object): Promise<Site> {
  const site = await startSite(provider);
  onTestFinished(() => site.stop());
  return site;
}

/** Returns the results of attempts that the metrics have counted, such as `failed 1`. */
async function resultsAt({ gateway }: Site): Promise<readonly string[]> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  const counts = text.matchAll(/^insurance_gateway_attempts_total\{.*result="(\w+)"\} (\d+)$/gm);
  return Array.from(counts, ([, result, count]) => `${result} ${count}`);
}

/** Stops the clock and the timers of the process, including the gateway's, until the test ends. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

it.each([
  ["search", 500, "failed"],
  ["search", 600, "cancelled"],
  ["submission", 500, "failed"],
  ["submission", 600, "cancelled"],
])(
  "a timeout counts as the insurer's failure only if the wait for a slot left a third of the call's time: %s, %i of 900 ms, %s",
  async (kind, waitedMs, result) => {
    const isSearch = kind === "search";
    const [own, other] = [{ totalMs: 900 }, { totalMs: 60_000, submissionMs: 900 }];
    const site = await start({
      timeouts: isSearch ? own : other,
      bulkhead: { running: 1, queued: 1, queueMs: 60_000 },
    });
    const answered = Promise.withResolvers<void>();
    const answers: Behaviour[] = [
      (...parts) => void answered.promise.then(() => nothingFound(...parts)),
    ];
    site.insurer.behaviour = (...parts) => answers.shift()?.(...parts);
    holdTimers();
    const arrived = site.insurer.nextArrival();
    const first = site.ask();
    await arrived;
    const second = isSearch ? site.ask() : site.submit();
    await expect.poll(() => site.gateway.inUse().some(({ queued }) => queued === 1)).toBe(true);
    vi.advanceTimersByTime(waitedMs);
    const sent = site.insurer.nextArrival();
    answered.resolve();
    await sent;
    vi.advanceTimersByTime(900 - waitedMs);
    expect((await second).status).toBe(504);
    expect((await first).status).toBe(200);
    expect(await resultsAt(site)).toContain(`${result} 1`);
  },
);

it("all attempts of a call share one time limit", async () => {
  const retries = { attempts: 3, firstWaitMs: 1 };
  const site = await start({ timeouts: { totalMs: 900, submissionMs: 60_000 }, retries });
  const failing = Promise.withResolvers<void>();
  const answers: Behaviour[] = [
    (...parts) => void failing.promise.then(() => json(500, {})(...parts)),
  ];
  site.insurer.behaviour = (...parts) => answers.shift()?.(...parts);
  holdTimers();
  const arrived = site.insurer.nextArrival();
  const asked = site.ask();
  await arrived;
  vi.advanceTimersByTime(600);
  const repeated = site.insurer.nextArrival();
  failing.resolve();
  await expect.poll(() => vi.advanceTimersByTime(1) && site.insurer.arrivals.length).toBe(2);
  await repeated;
  vi.advanceTimersByTime(300);
  expect(await problemIn(await asked)).toMatchObject({ code: "PROVIDER_TIMEOUT" });
});

it("the gateway sends each query about a submission of unknown outcome only once, even if the insurer fails", async () => {
  const site = await start({ retries: { attempts: 3, firstWaitMs: 1 } });
  site.insurer.behaviour = (response) => response.destroy();
  expect((await site.submit()).status).toBe(504);
  site.insurer.behaviour = json(500, {});
  await site.pass(5 * 60_000);
  expect(site.insurer.arrivals.map(({ method }) => method)).toEqual(["POST", "GET"]);
});
