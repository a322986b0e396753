import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { hindrances } from "../harness/fault-hindrances.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { configurationKeys } from "./configuration-keys.ts";
import { holding, late, nothingFound, type Site, startSite, taking } from "./effects.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Starts a gateway that the test takes down at its end. */
async function site(...parameters: Parameters<typeof startSite>): Promise<Site> {
  const started = await startSite(...parameters);
  onTestFinished(() => started.stop());
  return started;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** What an entry does: it sets its key to another value than the default, and sees what that changes. */
type Effect = () => Promise<void>;

/** The effect of a key that a test elsewhere sees, in a file that sets the key, or whose helper does. */
interface SeenElsewhere {
  readonly file: string;
  readonly title: string;
}

const elsewhere = (file: string, title: string): SeenElsewhere => ({ file, title });

const effects: Readonly<Record<string, Effect | SeenElsewhere>> = {
  "listen.host": async () => {
    const { gateway } = await site({}, { listen: { host: "127.0.0.2" } });
    expect(new URL(gateway.address).hostname).toBe("127.0.0.2");
  },
  "listen.port": async () => {
    const port = await freePort();
    const { gateway } = await site({}, { listen: { port } }, { PORT: undefined });
    expect(new URL(gateway.address).port).toBe(String(port));
  },
  "listen.basePath": async () => {
    const { ask, gateway } = await site({}, { listen: { basePath: "/insurance" } });
    expect((await ask()).status).toBe(200);
    expect(new URL(gateway.address).pathname).toBe("/insurance");
  },
  "listen.tls.certificate": elsewhere("guards/tls.test.ts", "answers over TLS"),
  "listen.tls.key": elsewhere("guards/tls.test.ts", "another certificate's key"),
  "listen.tlsEndsBefore": elsewhere("production.release.test.ts", "an unknown load balancer"),
  "listen.trustedProxies[]": elsewhere(
    "guards/forwarded-addresses.test.ts",
    "is accepted from a trusted proxy",
  ),
  "listen.sharedPort": elsewhere(
    "guards/shared-port.test.ts",
    "can be shared where every listener",
  ),
  "operations.host": async () => {
    const { gateway } = await site({}, { operations: { host: "127.0.0.2" } });
    expect(new URL(gateway.operationsAddress).hostname).toBe("127.0.0.2");
  },
  "operations.port": async () => {
    const port = await freePort();
    const { gateway } = await site({}, { operations: { port } }, { OPERATIONS_PORT: undefined });
    expect(new URL(gateway.operationsAddress).port).toBe(String(port));
  },
  "operations.tls.certificate": elsewhere(
    "reload/certificates.test.ts",
    "%s see a new certificate of their address once its key fits, and open connections go on",
  ),
  "operations.tls.key": elsewhere(
    "reload/certificates.test.ts",
    "%s see a new certificate of their address once its key fits, and open connections go on",
  ),
  "operations.connectionsToken": elsewhere("connections/stored.test.ts", "refuses %s"),
  "operations.names[]": elsewhere("operations/listener.test.ts", "the operations listener"),
  "limits.bodyBytes": elsewhere("guards/limits.test.ts", "is the configuration's"),
  "limits.headerBytes": elsewhere("guards/limits.test.ts", "in bytes and in number"),
  "limits.headers": elsewhere("guards/limits.test.ts", "in bytes and in number"),
  "limits.jsonDepth": elsewhere("guards/limits.test.ts", "in depth is the configuration's"),
  "limits.tokenBytes": async () => {
    const { gateway, ask } = await site({}, { limits: { tokenBytes: 512 } });
    const token = await gateway.tokenFor("x".repeat(400));
    const headers = { authorization: `Bearer ${token}` };
    const long = await fetch(`${gateway.address}/provider-a/auto/brands`, { headers });
    expect([long.status, (await ask()).status]).toEqual([401, 200]);
  },
  "limits.connections": elsewhere(
    "guards/limits.test.ts",
    "closes one connection too many at once",
  ),
  "limits.headersMs": elsewhere("guards/time-limits.test.ts", "for headers that do not come whole"),
  "limits.requestMs": elsewhere(
    "guards/time-limits.test.ts",
    "for a body that does not come whole",
  ),
  "limits.uploadBytes": elsewhere("bodies/upload-limits.test.ts", "more bytes than the disk"),
  "limits.answerBytes": elsewhere("upstream/whole-answers.test.ts", "is the configuration's"),
  "limits.uploadsPerCaller": elsewhere("bodies/upload-limits.test.ts", "one caller at once"),
  "limits.keepAliveMs": elsewhere("guards/time-limits.test.ts", "is kept alive and not used"),
  "overload.eventLoopDelayMs": elsewhere("resilience/admission.test.ts", "event loop is held up"),
  "overload.longestWaitMs": elsewhere("resilience/shedding.test.ts", "held up refuses requests"),
  "observation.searchesPerHour": elsewhere(
    "operations/wide-searches.test.ts",
    "is counted and logged once",
  ),
  "drift.samplePercent": elsewhere(
    "drift/drift.test.ts",
    "are compared all the same, and no others",
  ),
  "shutdown.noticeMs": elsewhere(
    "rolling/termination.release.test.ts",
    "as long as the notice lasts",
  ),
  data: async () => {
    const { gateway } = await site({}, { data: "./elsewhere" });
    expect(existsSync(join(gateway.folder.path, "elsewhere", "submissions.sqlite"))).toBe(true);
  },
  "issuers[]": elsewhere("authentication/forged-tokens.test.ts", "never reaches the insurer"),
  "issuers[].issuer": elsewhere(
    "submissions/key-isolation.test.ts",
    "two requests with the same key",
  ),
  "issuers[].audience": elsewhere("authentication/good-tokens.test.ts", "is accepted that has"),
  "issuers[].jwksUri": elsewhere(
    "authentication/issuer-keys.test.ts",
    "are fetched when the first token comes",
  ),
  "issuers[].algorithms[]": elsewhere(
    "authentication/good-tokens.test.ts",
    "is accepted with a signature of",
  ),
  "issuers[].typ": elsewhere("authentication/good-tokens.test.ts", "needs no type"),
  "issuers[].scopesRequired": elsewhere("authentication/scopes.test.ts", "a token's scopes"),
  "issuers[].clockSkewSeconds": elsewhere(
    "authentication/token-times.test.ts",
    "by each issuer's own clock",
  ),
  "authentication.cachedTokens": elsewhere(
    "authentication/remembered-tokens.test.ts",
    "makes room for another",
  ),
  "authentication.cachedSeconds": elsewhere(
    "authentication/remembered-tokens.test.ts",
    "for as long as is configured",
  ),
  "authentication.refusedTokens": async () => {
    const { gateway } = await site({}, { authentication: { refusedTokens: 1 } });
    const headers = { authorization: "Bearer x" };
    const statuses = [
      await fetch(gateway.address, { headers }),
      await fetch(gateway.address, { headers }),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([401, 429]);
  },
  "providers[]": async () => {
    const { ask } = await site({});
    expect((await ask("/provider-e/life/core/fast-pension-quote")).status).toBe(404);
  },
  "connections.claim": elsewhere("connections/tenants.test.ts", "are two tenants"),
  "connections.keptIn": elsewhere("connections/stored.test.ts", "are kept in the store"),
  "connections.list[]": elsewhere("connections/tenants.test.ts", "are two tenants"),
  "connections.list[].id": elsewhere("connections/configuration.test.ts", "are kept while"),
  "connections.list[].tenant.issuer": elsewhere("connections/tenants.test.ts", "are two tenants"),
  "connections.list[].tenant.name": elsewhere("connections/tenants.test.ts", "are two tenants"),
  "connections.list[].segment": elsewhere("connections/tenants.test.ts", "is 403 at it"),
  "connections.list[].credentials": elsewhere("connections/tenants.test.ts", "are two tenants"),
  "connections.list[].quotas.requestsPerDay": elsewhere(
    "usage/connections.test.ts",
    "has quotas of its own",
  ),
  "connections.list[].quotas.submissionsPerDay": elsewhere(
    "usage/connections.test.ts",
    "has quotas of its own",
  ),
  "connections.timeZone": elsewhere("usage/usage.test.ts", "counts on the day of the configured"),
  "connections.quotas.requestsPerDay": elsewhere("usage/quotas.test.ts", "is gone over by at most"),
  "connections.quotas.submissionsPerDay": elsewhere("usage/quotas.test.ts", "gets back what was"),
  "providers[].maintenance[]": elsewhere("availability/maintenance.test.ts", "until it ends"),
  "providers[].maintenance[].from": elsewhere("availability/maintenance.test.ts", "until it ends"),
  "providers[].maintenance[].to": elsewhere("availability/maintenance.test.ts", "until it ends"),
  "providers[].maintenance[].note": elsewhere(
    "availability/provider-status.test.ts",
    "what the operator has declared",
  ),
  "connections.list[].settings": elsewhere(
    "connections/configuration.test.ts",
    "are the provider's with its own over them",
  ),
  "providers[].package": elsewhere(
    "submissions/key-isolation.test.ts",
    "two requests with the same key",
  ),
  "providers[].segment": elsewhere("forwarding.test.ts", "has a provider's own segment"),
  "providers[].upstream": elsewhere(
    "sandbox-process.release.test.ts",
    "are listed for those who have a token",
  ),
  "providers[].upstream.baseUrl": elsewhere("forwarding.test.ts", "is the declared call"),
  "providers[].upstream.adapter": elsewhere("forwarding.test.ts", "is the declared call"),
  "providers[].upstream.credentials": elsewhere(
    "insurer-credentials/configured.test.ts",
    "that are not fetched are those of the file as it is now",
  ),
  "providers[].upstream.tls.authorities": elsewhere(
    "insurer-tls.test.ts",
    "one of its own authority",
  ),
  "providers[].upstream.tls.client.certificate": elsewhere(
    "insurer-tls.test.ts",
    "may ask for a certificate",
  ),
  "providers[].upstream.tls.client.key": elsewhere(
    "insurer-tls.test.ts",
    "may ask for a certificate",
  ),
  "providers[].timeouts.connectMs": async () => {
    const hindered = await hindrances["never-accepted"].hinder({ baseUrl: "" });
    onTestFinished(() => hindered.close());
    // Two attempts fail within the whole time only where each gives up early; then the insurer is left alone.
    const provider = {
      ...insurerConfiguration("d", hindered.baseUrl),
      timeouts: { connectMs: 100, totalMs: 2_900 },
      retries: { attempts: 2, firstWaitMs: 1 },
      breaker: { failuresInRow: 2 },
    };
    const { ask } = await site({}, { providers: [provider] });
    expect(await problemIn(await ask())).toMatchObject({ code: "PROVIDER_TIMEOUT" });
    expect((await problemIn(await ask())).detail).toContain("left alone");
  },
  "providers[].timeouts.totalMs": async () => {
    const { ask, insurer } = await site({ timeouts: { totalMs: 100 } });
    insurer.behaviour = late(3_000, nothingFound);
    expect(await problemIn(await ask())).toMatchObject({ code: "PROVIDER_TIMEOUT" });
  },
  "providers[].timeouts.submissionMs": async () => {
    const { insurer, submit } = await site({ timeouts: { submissionMs: 100 } });
    insurer.behaviour = late(3_000, taking());
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
    // Half of it is longer than what is left of the whole time.
    const retries = { firstWaitMs: 600_000, longestWaitMs: 600_000 };
    const { fail, insurer } = await site({ retries });
    await fail();
    expect(insurer.arrivals).toHaveLength(1);
  },
  "providers[].retries.longestWaitMs": async () => {
    const { ask, insurer } = await site({ retries: { firstWaitMs: 1, longestWaitMs: 900 } });
    // A second, which by default would be waited for.
    insurer.behaviour = json(503, {}, { "retry-after": "1" });
    await ask();
    expect(insurer.arrivals).toHaveLength(1);
  },
  "providers[].retries.budgetPercent": async () => {
    const { fail, insurer } = await site({ retries: { firstWaitMs: 1, budgetPercent: 0 } });
    await fail();
    expect(insurer.arrivals).toHaveLength(1);
  },
  "providers[].breaker.failuresInRow": async () => {
    const { fail } = await site({ breaker: { failuresInRow: 1 } });
    expect([await fail(), await fail()]).toEqual([502, 503]);
  },
  "providers[].breaker.failurePercent": async () => {
    const breaker = { failuresInRow: 10_000, leastCalls: 4, failurePercent: 25 };
    const { fail, work } = await site({ breaker });
    for (let call = 0; call < 3; call += 1) await work();
    expect([await fail(), await fail()]).toEqual([502, 503]);
  },
  "providers[].breaker.leastCalls": async () => {
    const { fail, work } = await site({ breaker: { failuresInRow: 10_000, leastCalls: 2 } });
    expect([await work(), await fail(), await fail()]).toEqual([200, 502, 503]);
  },
  "providers[].breaker.windowMs": async () => {
    const breaker = { failuresInRow: 10_000, leastCalls: 2, windowMs: 2 * MINUTE };
    const { fail, time, work } = await site({ breaker });
    await work();
    time.forward(MINUTE);
    expect([await fail(), await fail()]).toEqual([502, 503]);
  },
  "providers[].breaker.openMs": async () => {
    const { fail, time, work } = await site({ breaker: { failuresInRow: 1, openMs: 1_000 } });
    await fail();
    time.forward(1_001);
    expect(await work()).toBe(200);
  },
  "providers[].breaker.longestOpenMs": async () => {
    const breaker = { failuresInRow: 1, openMs: 1_000, longestOpenMs: 1_000 };
    const { fail, time, work } = await site({ breaker });
    await fail();
    time.forward(1_001);
    expect(await fail(), "the call that tries").toBe(502);
    time.forward(1_001);
    expect(await work(), "not left alone for twice as long").toBe(200);
  },
  "providers[].bulkhead.running": async () => {
    const { ask, insurer } = await site({ bulkhead: { running: 1, queued: 0 } });
    const { behaviour, release } = holding(nothingFound);
    insurer.behaviour = behaviour;
    const arrived = insurer.nextArrival();
    const first = ask();
    await arrived;
    const second = ask();
    // Where two may run, the second is not refused but arrives.
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
    expect((await Promise.race(others)).status, "one of two waits").toBe(503);
    release();
    await Promise.all([first, ...others]);
  },
  "providers[].bulkhead.queueMs": async () => {
    const { ask, insurer } = await site({ bulkhead: { running: 1, queued: 1, queueMs: MINUTE } });
    // Longer than one waits by default.
    insurer.behaviour = late(400, nothingFound);
    const statuses = await Promise.all([ask(), ask()]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
  },
  "providers[].callerLimit.requests": async () => {
    const { work } = await site({ callerLimit: { requests: 1 } });
    expect([await work(), await work()]).toEqual([200, 429]);
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
  "providers[].answers.freshMinutes": elsewhere(
    "resilience/fresh-lookups.test.ts",
    "is fresh for as long as the operator allows",
  ),
  "providers[].answers.staleHours": async () => {
    const { ask, insurer } = await site({ answers: { staleHours: 0 } });
    insurer.behaviour = json(200, { items: [] });
    expect((await ask("/provider-a/auto/brands")).status).toBe(200);
    insurer.behaviour = json(500, {});
    expect((await ask("/provider-a/auto/brands")).status).toBe(502);
  },
  "providers[].failures[].endpoint": elsewhere("unmatched-answers.test.ts", "for one endpoint"),
  "providers[].failures[].status": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[]": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].media": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].at": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].is[]": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].code": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].outcome": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].afterActing": elsewhere(
    "several-requests.test.ts",
    "may have been carried out when a later request",
  ),
  "providers[].failures[].text": elsewhere("unmatched-answers.test.ts", "is what a row says"),
  "providers[].failures[].why": elsewhere("unmatched-answers.test.ts", "without its reason"),
  "providers[].settings": async () => {
    const provider = {
      ...insurerConfiguration("d", "http://127.0.0.1:9"),
      settings: { tenant: "" },
    };
    await expect(startInProcess({ providers: [provider] })).rejects.toMatchObject({
      faults: ["providers[0].settings: this provider takes none"],
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
    expect((await submit()).status, "only that field is left out").toBe(504);
  },
  "reference.served": elsewhere("reference/pages.test.ts", "whose reference is switched off"),
  "reference.address": elsewhere(
    "reference/pages.test.ts",
    "have the configured segment and address",
  ),
  "submissions.keys[].id": elsewhere("kept-submissions.test.ts", "can be changed"),
  "submissions.keys[].secret": elsewhere(
    "kept-submissions.test.ts",
    "another one of the same name",
  ),
  "submissions.answerKeptHours": async () => {
    const submissions = { answerKeptHours: 1, sameContentHours: 0 };
    const { insurer, pass, submit } = await site({}, { submissions });
    insurer.behaviour = taking();
    const [body, key] = [applicationBody(), randomUUID()];
    await submit(body, key);
    await pass(HOUR + 1);
    expect(await problemIn(await submit(body, key))).toMatchObject({ outcome: "executed" });
  },
  "submissions.hashKeptDays": async () => {
    const submissions = { answerKeptHours: 1, hashKeptDays: 1, sameContentHours: 0 };
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
    // Another second allows another.
    time.forward(1_000);
    await Promise.all([begun, time.tick()]);
    expect(queries()).toBe(2);
  },
};

const direct = Object.entries(effects).flatMap(([key, effect]) =>
  typeof effect === "function" ? [[key, effect] as const] : [],
);
const seen = Object.entries(effects).flatMap(([key, effect]) =>
  typeof effect === "function" ? [] : [[key, effect] as const],
);

describe("a key of the configuration", { timeout: 30_000 }, () => {
  it("has an effect that a test sees: every one in the published JSON Schema, and no other", () => {
    const keys = configurationKeys().map(([path]) => path);
    expect(Object.keys(effects).toSorted()).toEqual(keys.toSorted());
  });

  it.each(direct)("%s has its effect", (_, effect) => effect());

  it.each(seen)("%s has its effect in the test that is named here", (_, { file, title }) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    expect(text).toContain(title);
  });
});
