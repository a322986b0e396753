import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { HELD, holdTimers } from "../harness/held-timers.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const SEARCH = "/provider-d/applications/search?clientAfm=123456789";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeEach(async () => {
  // The insurer receives requests and never answers.
  insurer = await startInsurer(() => {});
});
afterEach(async () => {
  await insurer.close();
  await gateway.stop();
});

async function startBefore(settings: object): Promise<void> {
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), ...settings };
  gateway = await startInProcess({ providers: [provider] });
}

function ask(signal?: AbortSignal): Promise<Response> {
  return gateway.ask(SEARCH, { signal });
}

/** Returns how many calls use a slot of the insurer, or wait for a slot. */
async function callsNow(state: "queued" | "running"): Promise<number> {
  const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  return Number(
    new RegExp(`^insurance_gateway_calls_${state}\\{.*\\} (\\d+)$`, "m").exec(metrics)?.[1],
  );
}

it("a submission is `not_sent` if its time limit ends while the submission waits for a slot", async () => {
  await startBefore({
    timeouts: { totalMs: 60_000, submissionMs: 300 },
    bulkhead: { running: 1, queued: 1, queueMs: 60_000 },
  });
  const arrived = insurer.nextArrival();
  const leaving = new AbortController();
  const first = ask(leaving.signal).catch(() => undefined);
  await arrived;
  const refused = await submitApplication(gateway, applicationBody("123456789"));
  expect(await problemIn(refused)).toMatchObject({
    code: "PROVIDER_UNAVAILABLE",
    outcome: "not_sent",
    retry: "safe",
  });
  // The slot is free again. The refused submission must not use the slot.
  leaving.abort();
  await first;
  const next = insurer.nextArrival();
  const leavingAgain = new AbortController();
  const again = ask(leavingAgain.signal).catch(() => undefined);
  expect((await next).method).toBe("GET");
  expect(insurer.arrivals.map(({ method }) => method)).toEqual(["GET", "GET"]);
  leavingAgain.abort();
  await again;
});

it("the circuit breaker opens if callers that have no answer disconnect after two thirds of the call's time limit", async () => {
  await startBefore({ timeouts: { totalMs: 900 }, breaker: { failuresInRow: 2 } });
  holdTimers();
  for (let caller = 0; caller < 2; caller += 1) {
    const arrived = insurer.nextArrival();
    const leaving = new AbortController();
    const asked = ask(leaving.signal).catch(() => undefined);
    await arrived;
    vi.advanceTimersByTime(600);
    leaving.abort();
    await asked;
    await expect.poll(() => callsNow("running"), HELD).toBe(0);
  }
  expect((await problemIn(await ask())).detail).toContain("failed repeatedly");
});

it("the circuit breaker stays closed if callers disconnect at once", async () => {
  await startBefore({ timeouts: { totalMs: 60_000 }, breaker: { failuresInRow: 2 } });
  for (let caller = 0; caller < 5; caller += 1) {
    const arrived = insurer.nextArrival();
    const leaving = new AbortController();
    const asked = ask(leaving.signal).catch(() => undefined);
    await arrived;
    leaving.abort();
    await asked;
  }
  expect(insurer.arrivals).toHaveLength(5);
});

it("the circuit breaker stays closed after the timeout of a call that was sent with little time left", async () => {
  await startBefore({
    timeouts: { totalMs: 1_200 },
    bulkhead: { running: 1, queued: 1, queueMs: 60_000 },
    breaker: { failuresInRow: 1 },
  });
  const nothingFound = json(200, { items: [], start: 1, limit: 20, total: 0 });
  // The first call gets its answer when the second call has little time left. The second call gets no answer, and the
  // third call gets an answer at once.
  const answered = Promise.withResolvers<void>();
  insurer.behaviour = (response, arrival) => {
    const count = insurer.arrivals.length;
    if (count === 1) void answered.promise.then(() => nothingFound(response, arrival));
    if (count === 3) nothingFound(response, arrival);
  };
  holdTimers();
  const arrived = insurer.nextArrival();
  const first = ask();
  await arrived;
  const second = ask();
  await expect.poll(() => callsNow("queued"), HELD).toBe(1);
  vi.advanceTimersByTime(1_000);
  const secondArrived = insurer.nextArrival();
  answered.resolve();
  await secondArrived;
  vi.advanceTimersByTime(200);
  expect((await second).status).toBe(504);
  expect((await first).status).toBe(200);
  expect((await ask()).status).toBe(200);
});
