import type { ServerResponse } from "node:http";
import { Refusal } from "@insurance-gateway/core/runtime";
import { expect, it, onTestFinished, vi } from "vitest";
import { isHeldBack } from "../../src/insurers/resilience/guard-insurer.ts";
import { HELD, holdTimers } from "../harness/held-timers.ts";
import { type Behaviour, json, problem } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { holding, nothingFound, type Site, startSite, taking } from "../harness/site.ts";

async function start(provider: object, configuration: object = {}): Promise<Site> {
  const site = await startSite(provider, configuration);
  onTestFinished(() => site.stop());
  return site;
}

async function metricsOf({ gateway }: Site): Promise<string> {
  return (await fetch(`${gateway.operationsAddress}/metrics`)).text();
}

/** Returns how often each result of an attempt was counted, such as `failed 1`. */
async function resultsAt(site: Site): Promise<readonly string[]> {
  const line = /^insurance_gateway_attempts_total\{.*result="(\w+)"\} (\d+)$/gm;
  return Array.from(
    (await metricsOf(site)).matchAll(line),
    ([, name, count]) => `${name} ${count}`,
  );
}

/** Returns how many calls to all insurers use a slot, or wait for a slot. */
function callsAt({ gateway }: Site, state: "queued" | "running"): number {
  return gateway.inUse().reduce((sum, use) => sum + use[state], 0);
}

const SEARCH = "/provider-d/applications/search?clientAfm=123456789";
const DOCUMENT = "/provider-c/application/ipid?applicationId=C-0001";
const pdf = (content: string): Behaviour =>
  json(200, content, { "content-type": "application/pdf" });
/** Sends the beginning of a document. */
const halfPdf: Behaviour = (response) =>
  void response.writeHead(200, { "content-type": "application/pdf" }).write("%PDF-1.7");
const endlessPdf: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/pdf" });
  response.write(`%PDF-1.7${"x".repeat(1_024)}`);
};
const oneSlot = { running: 1, queued: 1, queueMs: 60_000 };

it.each<[string, Behaviour, string, path?: string]>([
  ["an answer", nothingFound, "answered"],
  ["status 500", json(500, {}), "failed"],
  ["a broken connection", (response) => response.destroy(), "failed"],
  ["an answer that is not JSON", json(200, "<html>"), "unusable"],
  ["a documented refusal", problem(422, "PROVIDER_REJECTED"), "answered"],
  ["a complete document", pdf("%PDF-1.7"), "answered", DOCUMENT],
  [
    "a document whose transfer breaks off",
    (response) => {
      response.writeHead(200, { "content-type": "application/pdf", "content-length": "1000" });
      response.write("%PDF-1.7", () => response.socket?.resetAndDestroy());
    },
    "failed",
    DOCUMENT,
  ],
  ["a document that is too large", pdf(`%PDF-1.7${"x".repeat(1_024)}`), "unusable", DOCUMENT],
  ["a document that becomes too large", endlessPdf, "unusable", DOCUMENT],
])(
  "the metrics count the result of each attempt, and the attempt frees its slot: %s",
  async (_, behaviour, result, path) => {
    const site = await start({ answers: { documentBytes: 1_024 }, bulkhead: oneSlot });
    site.insurer.behaviour = behaviour;
    await (await site.ask(path)).arrayBuffer().catch(() => undefined);
    await expect.poll(() => resultsAt(site), HELD).toEqual([`${result} 1`]);
    expect(await site.work()).toBe(200);
  },
);

it.each([
  ["the time limit ends", "failed"],
  ["the caller disconnects", "cancelled"],
])(
  "a document uses its slot until the transfer ends, and the cause of the end determines the counted result: %s, %s",
  async (cause, result) => {
    const site = await start({ timeouts: { totalMs: 900 }, bulkhead: oneSlot });
    site.insurer.behaviour = halfPdf;
    holdTimers();
    const leaving = new AbortController();
    const document = await site.gateway.ask(DOCUMENT, { signal: leaving.signal });
    expect(await resultsAt(site)).toEqual([]);
    expect(callsAt(site, "running")).toBe(1);
    if (result === "cancelled") leaving.abort();
    else vi.advanceTimersByTime(900);
    await expect(document.arrayBuffer(), cause).rejects.toThrow();
    await expect.poll(() => resultsAt(site), HELD).toEqual([`${result} 1`]);
    expect(callsAt(site, "running")).toBe(0);
  },
);

it.each([
  [300, "cancelled"],
  [301, "failed"],
])(
  "a caller's disconnect counts as the insurer's failure only after a third of the call's time limit: %i of 900 ms, %s",
  async (milliseconds, result) => {
    const site = await start({ timeouts: { totalMs: 900 } });
    site.insurer.behaviour = () => {};
    holdTimers();
    const leaving = new AbortController();
    const arrived = site.insurer.nextArrival();
    const asked = site.gateway.ask(SEARCH, { signal: leaving.signal });
    await arrived;
    vi.advanceTimersByTime(milliseconds);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => resultsAt(site), HELD).toEqual([`${result} 1`]);
  },
);

/** Time limits of 900 ms for one kind of call. */
const limits = {
  search: { totalMs: 900 },
  submission: { totalMs: 60_000, submissionMs: 900 },
};

/**
 * Sends a call that waits for a slot, and then for the insurer. The connection breaks after `silentMs`, unless the time
 * limit ends before. Returns the status and the results of both attempts.
 */
async function waitForSlotAndInsurer(
  kind: keyof typeof limits,
  waitedMs: number,
  silentMs: number,
): Promise<{ readonly status: number; readonly results: readonly string[] }> {
  const site = await start({ timeouts: limits[kind], bulkhead: oneSlot });
  const first = holding(nothingFound);
  const silent = holding((response) => response.destroy());
  const answers = [first.behaviour, silent.behaviour];
  site.insurer.behaviour = (...parts) => answers.shift()?.(...parts);
  holdTimers();
  const arrived = site.insurer.nextArrival();
  const running = site.ask();
  await arrived;
  const waiting = kind === "search" ? site.ask() : site.submit();
  await expect.poll(() => callsAt(site, "queued"), HELD).toBe(1);
  vi.advanceTimersByTime(waitedMs);
  const sent = site.insurer.nextArrival();
  first.release();
  await sent;
  vi.advanceTimersByTime(silentMs);
  silent.release();
  const { status } = await waiting;
  expect((await running).status).toBe(200);
  return { status, results: await resultsAt(site) };
}

it.each([
  ["search", 500, 400, "failed"],
  ["search", 600, 300, "cancelled"],
  ["submission", 500, 400, "failed"],
  ["submission", 600, 300, "cancelled"],
] as const)(
  "a timeout counts as the insurer's failure only if the wait for a slot left more than a third of the call's time: %s, a wait of %i ms, no answer for %i ms, %s",
  async (kind, waitedMs, silentMs, result) => {
    const { results, status } = await waitForSlotAndInsurer(kind, waitedMs, silentMs);
    expect(status).toBe(504);
    expect(results).toContain(`${result} 1`);
  },
);

it.each([
  [298, "failed"],
  [299, "cancelled"],
])(
  "a broken connection counts as the insurer's failure unless the connection breaks in the last millisecond of the call's time: after %i of the remaining 300 ms, %s",
  async (silentMs, result) => {
    const { results, status } = await waitForSlotAndInsurer("search", 600, silentMs);
    expect(status).toBe(502);
    expect(results).toContain(`${result} 1`);
  },
);

it("a timeout after a wait for memory does not count as the insurer's failure", async () => {
  const [size, sent] = [1_100_000, 1_048_576];
  const site = await start({ timeouts: { totalMs: 900 } }, { limits: { answerBytes: sent } });
  const begun: ServerResponse[] = [];
  site.insurer.behaviour = (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": size });
    response.write("x".repeat(sent));
    begun.push(response);
  };
  holdTimers();
  const first = site.ask();
  await expect.poll(() => metricsOf(site), HELD).toContain(`answer_bytes ${size}\n`);
  const second = site.ask();
  await expect.poll(() => metricsOf(site), HELD).toContain("calls_awaiting_memory 1\n");
  begun[0]?.end("x".repeat(size - sent));
  expect((await first).status).toBe(502);
  vi.advanceTimersByTime(900);
  expect((await second).status).toBe(504);
  expect(await resultsAt(site)).toEqual(["unusable 1", "cancelled 1"]);
});

it("a call that gets a slot at the end of its time limit frees the slot and is not sent", async () => {
  const site = await start({ timeouts: { totalMs: 60_000 }, bulkhead: oneSlot });
  const first = holding(nothingFound);
  site.insurer.behaviour = first.behaviour;
  holdTimers(["performance"]);
  const arrived = site.insurer.nextArrival();
  const running = site.ask();
  await arrived;
  const waiting = site.ask();
  await expect.poll(() => callsAt(site, "queued"), HELD).toBe(1);
  vi.advanceTimersByTime(60_000);
  first.release();
  expect((await running).status).toBe(200);
  const refused = await waiting;
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await problemIn(refused)).toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
  expect(await metricsOf(site)).toMatch(/held_back_total\{.*by="bulkhead"\} 1$/m);
  expect((await site.ask()).status).toBe(200);
});

it("the gateway sends no call to the insurer while the circuit breaker is open, and Retry-After states the seconds until the next test call", async () => {
  const site = await start({ breaker: { failuresInRow: 1 } });
  await site.fail();
  for (const [passedMs, retryAfter] of [
    [1, "30"],
    [28_998, "2"],
    [1, "1"],
    [999, "1"],
  ] as const) {
    site.time.forward(passedMs);
    const refused = await site.ask();
    expect(refused.headers.get("retry-after")).toBe(retryAfter);
    expect(refused.headers.get("proxy-status")).toContain("error=destination_unavailable");
    expect((await problemIn(refused)).detail).toContain("failed repeatedly");
  }
  expect(await metricsOf(site)).toMatch(/held_back_total\{.*by="breaker"\} 4$/m);
  expect(site.insurer.arrivals).toHaveLength(1);
});

it("the circuit breaker admits a submission 30 seconds later than a search after the insurer failed", async () => {
  const site = await start({ breaker: { failuresInRow: 1 } });
  await site.fail();
  site.time.forward(30_000);
  expect((await site.submit()).headers.get("retry-after")).toBe("30");
  expect(await site.work()).toBe(200);
  expect(site.insurer.arrivals).toHaveLength(2);
  await site.fail();
  site.time.forward(60_000);
  site.insurer.behaviour = taking();
  expect((await site.submit()).status).toBe(201);
});

it.each([
  ["breaker", true],
  ["maintenance", true],
  ["bulkhead", true],
  ["foreign_answer", false],
  ["toString", false],
  [undefined, false],
])(
  "the reason of a refusal shows whether other calls or maintenance caused the refusal: reason %s, result %s",
  (reason, expected) => {
    const details = { detail: "", ...(reason === undefined ? {} : { reason }) };
    expect(isHeldBack(new Refusal("PROVIDER_UNAVAILABLE", details))).toBe(expected);
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
