import { afterEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Behaviour, type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Starts providers A and D with an insurer that sends these answers before it succeeds. */
function start(...first: ReturnType<typeof json>[]): Promise<void> {
  return startWith({}, ...first);
}

async function startWith(settings: object, ...first: ReturnType<typeof json>[]): Promise<void> {
  insurer = await startInsurer((response, arrival) => {
    const next = first.shift() ?? json(200, { items: [] });
    next(response, arrival);
  });
  const more = { retries: { firstWaitMs: 1 }, ...settings };
  const providers = ["a", "d"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    ...more,
  }));
  gateway = await startInProcess({ providers });
}

function ask(path = "/provider-a/auto/brands"): Promise<Response> {
  return gateway.ask(path);
}

describe("a call that changes nothing at the insurer", () => {
  it("the gateway repeats a read-only call after failures of the insurer, and the caller receives the later success", async () => {
    await start(json(500, {}), json(503, {}));
    const response = await ask();
    expect(response.status).toBe(200);
    expect(insurer.arrivals).toHaveLength(3);
    expect(new Set(insurer.arrivals.map(({ headers }) => headers["x-request-id"]))).toEqual(
      new Set([response.headers.get("x-request-id")]),
    );
  });

  it("the gateway makes at most three attempts of a call", async () => {
    await start(...Array.from({ length: 9 }, () => json(500, {})));
    const { code } = await problemIn(await ask());
    expect(code).toBe("PROVIDER_BAD_RESPONSE");
    expect(insurer.arrivals).toHaveLength(3);
  });

  it("the gateway waits for the time in the insurer's Retry-After before it repeats a call", async () => {
    const busy = json(429, { code: "RATE_LIMITED" }, { "retry-after": "1" });
    await start((response, arrival) => {
      response.setHeader("content-type", "application/problem+json");
      busy(response, arrival);
    });
    const asked = performance.now();
    expect((await ask()).status).toBe(200);
    // The gateway may wait longer than Retry-After says, but not shorter.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(1_000);
  });

  it("the gateway does not repeat a call after a Retry-After above the longest wait, and tells the caller to wait up to a minute", async () => {
    await start(problem(503, "PROVIDER_UNAVAILABLE"), (response) => {
      response.writeHead(429, {
        "content-type": "application/problem+json",
        "retry-after": "86400",
      });
      response.end(JSON.stringify({ code: "RATE_LIMITED" }));
    });
    expect((await ask()).headers.get("retry-after")).toBe("7");
    expect((await ask()).headers.get("retry-after")).toBe("60");
    expect(insurer.arrivals).toHaveLength(2);
    // The value of Retry-After may be a date (RFC 9110, section 10.2.3).
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    insurer.behaviour = json(503, {}, { "retry-after": inAnHour });
    expect((await ask()).headers.get("retry-after")).toBe("60");
    expect(insurer.arrivals).toHaveLength(3);
  });

  it("the gateway repeats a call on a new connection if the insurer answers with the status 408", async () => {
    const sockets = new Set<unknown>();
    const late = json(408, "<h1>Request Time-out</h1>", { "content-type": "text/html" });
    const good = json(200, { items: [] });
    const answers = [late, good].map<Behaviour>((answer) => (response, arrival) => {
      sockets.add(response.socket);
      answer(response, arrival);
    });
    await start(...answers);
    expect((await ask()).status).toBe(200);
    expect([insurer.arrivals.length, sockets.size]).toEqual([2, 2]);
  });

  it("the gateway repeats a call if another server sends an HTML page in the insurer's place", async () => {
    await start(json(200, "<h1>Maintenance</h1>", { "content-type": "text/html" }));
    expect((await ask()).status).toBe(200);
    expect(insurer.arrivals).toHaveLength(2);
  });

  it("the caller receives the problem of the attempt that opens the circuit breaker, not the breaker's own problem", async () => {
    await startWith({ breaker: { failuresInRow: 1 } }, json(500, {}));
    expect((await problemIn(await ask())).code).toBe("PROVIDER_BAD_RESPONSE");
    expect((await problemIn(await ask())).code).toBe("PROVIDER_UNAVAILABLE");
    expect(insurer.arrivals).toHaveLength(1);
  });

  it("the gateway does not repeat a call that the insurer rejects", async () => {
    await start(problem(422, "PROVIDER_REJECTED"));
    expect((await ask()).status).toBe(422);
    expect(insurer.arrivals).toHaveLength(1);
  });
});

it("the gateway does not repeat a call if the caller disconnects before the next attempt", async () => {
  await start();
  const leaving = new AbortController();
  insurer.behaviour = (response, arrival) => {
    json(503, {}, { "retry-after": "1" })(response, arrival);
    response.once("finish", () => leaving.abort());
  };
  const asked = gateway.ask("/provider-a/auto/brands", { signal: leaving.signal });
  await expect(asked).rejects.toThrow();
  // The gateway ends only after all running calls have finished.
  await gateway.end();
  expect(insurer.arrivals).toHaveLength(1);
});

it("each successful call adds to the retry budget that later failing calls use", async () => {
  insurer = await startInsurer(json(200, { items: [] }));
  const retries = { firstWaitMs: 1, attempts: 2, budgetPercent: 50 };
  const breaker = { failuresInRow: 10_000, minCalls: 10_000 };
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), retries, breaker };
  gateway = await startInProcess({ providers: [provider] });
  const search = "/provider-d/applications/search?clientAfm=123456789";
  const arrivalsOf = async (): Promise<number> => {
    const before = insurer.arrivals.length;
    await ask(search);
    return insurer.arrivals.length - before;
  };
  insurer.behaviour = json(500, {});
  // The budget starts with ten retries, and each call adds half a retry.
  for (let call = 0; call < 30; call += 1) await ask(search);
  const spent = [await arrivalsOf(), await arrivalsOf()];
  expect(spent.toSorted((one, other) => one - other)).toEqual([1, 2]);
  insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
  for (let call = 0; call < 8; call += 1) await ask(search);
  insurer.behaviour = json(500, {});
  expect([await arrivalsOf(), await arrivalsOf(), await arrivalsOf()]).toEqual([2, 2, 2]);
});

it.each([503, 408])(
  "the gateway sends a submission exactly once, even if the insurer answers with the status %i",
  async (status) => {
    await start(json(status, {}), json(status, {}));
    const response = await submitApplication(gateway, applicationBody("123456789"));
    expect(await problemIn(response)).toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(insurer.arrivals.filter(({ method }) => method === "POST")).toHaveLength(1);
  },
);
