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

/** Starts provider A and D before an insurer whose first answers are these; then it works. */
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
  it("is made again when the insurer fails, and its caller gets the answer", async () => {
    await start(json(500, {}), json(503, {}));
    const response = await ask();
    expect(response.status).toBe(200);
    expect(insurer.arrivals).toHaveLength(3);
    expect(new Set(insurer.arrivals.map(({ headers }) => headers["x-request-id"]))).toEqual(
      new Set([response.headers.get("x-request-id")]),
    );
  });

  it("is made three times at most", async () => {
    await start(...Array.from({ length: 9 }, () => json(500, {})));
    const { code } = await problemIn(await ask());
    expect(code).toBe("PROVIDER_BAD_RESPONSE");
    expect(insurer.arrivals).toHaveLength(3);
  });

  it("is made again as late as the insurer asks", async () => {
    const busy = json(429, { code: "RATE_LIMITED" }, { "retry-after": "1" });
    await start((response, arrival) => {
      response.setHeader("content-type", "application/problem+json");
      busy(response, arrival);
    });
    const asked = performance.now();
    expect((await ask()).status).toBe(200);
    // The lower bound is the rule itself.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(1_000);
  });

  it("is not made again when the insurer asks for a longer wait; its caller is asked to wait, a minute at most", async () => {
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
    // It may name an instant (RFC 9110, section 10.2.3).
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    insurer.behaviour = json(503, {}, { "retry-after": inAnHour });
    expect((await ask()).headers.get("retry-after")).toBe("60");
    expect(insurer.arrivals).toHaveLength(3);
  });

  it("is made again on another connection when the insurer waited in vain for a request", async () => {
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

  it("is made again when something else answers in the insurer's place", async () => {
    await start(json(200, "<h1>Maintenance</h1>", { "content-type": "text/html" }));
    expect((await ask()).status).toBe(200);
    expect(insurer.arrivals).toHaveLength(2);
  });

  it("a call that changes nothing gets the result of its attempt, also if the insurer is then left alone", async () => {
    await startWith({ breaker: { failuresInRow: 1 } }, json(500, {}));
    expect((await problemIn(await ask())).code).toBe("PROVIDER_BAD_RESPONSE");
    expect((await problemIn(await ask())).code).toBe("PROVIDER_UNAVAILABLE");
    expect(insurer.arrivals).toHaveLength(1);
  });

  it("is not made again when the insurer says no", async () => {
    await start(problem(422, "PROVIDER_REJECTED"));
    expect((await ask()).status).toBe(422);
    expect(insurer.arrivals).toHaveLength(1);
  });
});

it("a call whose caller leaves before the next attempt is not made again", async () => {
  await start();
  const leaving = new AbortController();
  insurer.behaviour = (response, arrival) => {
    json(503, {}, { "retry-after": "1" })(response, arrival);
    response.once("finish", () => leaving.abort());
  };
  const asked = gateway.ask("/provider-a/auto/brands", { signal: leaving.signal });
  await expect(asked).rejects.toThrow();
  // Calls in progress are finished before the end.
  await gateway.end();
  expect(insurer.arrivals).toHaveLength(1);
});

it("successful calls earn the retries that failing ones spend", async () => {
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
  // Ten attempts are there, and each call earns a half.
  for (let call = 0; call < 30; call += 1) await ask(search);
  const spent = [await arrivalsOf(), await arrivalsOf()];
  expect(spent.toSorted((one, other) => one - other)).toEqual([1, 2]);
  insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
  for (let call = 0; call < 8; call += 1) await ask(search);
  insurer.behaviour = json(500, {});
  expect([await arrivalsOf(), await arrivalsOf(), await arrivalsOf()]).toEqual([2, 2, 2]);
});

it.each([503, 408])(
  "a submission is sent once, also when the insurer answers %i",
  async (status) => {
    await start(json(status, {}), json(status, {}));
    const response = await submitApplication(gateway, applicationBody("123456789"));
    expect(await problemIn(response)).toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(insurer.arrivals.filter(({ method }) => method === "POST")).toHaveLength(1);
  },
);
