import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, describe, expect, it } from "vitest";
import { applicationBody } from "../../harness/applications.ts";
import { type Behaviour, json } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { reloadNow, reloadWhenSettled } from "../../reload/settled.ts";
import { type CredentialSite, oauth2, startCredentialSite } from "./credential-site.ts";

let site: CredentialSite & { stop(): Promise<void> };
afterEach(() => site.stop());

async function start(grant?: Behaviour, provider: object = {}, more: object = {}): Promise<void> {
  site = await startCredentialSite({ credentials: (tokens) => oauth2(tokens, more), provider });
  if (grant !== undefined) site.tokens.grant = grant;
}

/** Time limits of one second. The token server answers within this time even on a busy machine. */
const soon = { timeouts: { totalMs: 1_000, submissionMs: 1_000 } };
const refused = json(401, { error: "invalid_client", error_description: "s3cret" });

/** Sends a read and a submission, which must fail; returns the problems of both. */
async function problems(): Promise<readonly unknown[]> {
  const answers = [await site.search(), await site.submit(applicationBody())];
  return Promise.all(answers.map(problemIn));
}

const notSent = { outcome: "not_sent", retry: "safe", status: 502 };

describe("a token server that fails", () => {
  it.each([
    ["a refused secret", refused],
    ["an unknown client", json(400, { error: "unauthorized_client" })],
    ["a 403 with an HTML page", json(403, "<html>", { "content-type": "text/html" })],
  ])(
    "calls fail at once as `not_sent` if the token server refuses the client: %s",
    async (_, grant) => {
      await start(grant);
      const expected = { ...notSent, code: "PROVIDER_AUTH_FAILED" };
      expect(await problems()).toEqual([
        expect.objectContaining(expected),
        expect.objectContaining(expected),
      ]);
      for (let count = 0; count < 50; count += 1) await site.search();
      expect(site.tokens.arrivals).toHaveLength(1);
      expect(site.insurer.arrivals).toEqual([]);
    },
  );

  const good = { access_token: "t", token_type: "bearer" };
  it.each<[string, "unreachable" | "unusable", Behaviour]>([
    ["a 503", "unreachable", json(503, {})],
    ["a 429 with `Retry-After`", "unreachable", json(429, {}, { "retry-after": "60" })],
    ["a broken connection", "unreachable", (response) => void response.destroy()],
    ["no answer", "unreachable", () => undefined],
    ["an answer that is not JSON", "unusable", json(200, "<html>")],
    ["an answer without a token", "unusable", json(200, { token_type: "bearer" })],
    ["a token of another type", "unusable", json(200, { ...good, token_type: "mac" })],
    ["a token that is not a text", "unusable", json(200, { ...good, access_token: 7 })],
    ["a lifetime that is not a number", "unusable", json(200, { ...good, expires_in: "soon" })],
    ["a token with a line break", "unusable", json(200, { access_token: "t\r\nx-role: a" })],
    ["a token that no header can carry", "unusable", json(200, { access_token: "τ" })],
    ["an answer that is too large", "unusable", json(200, { access_token: "t".repeat(100_000) })],
    ["a redirect", "unusable", json(302, {}, { location: "http://127.0.0.1:1/token" })],
  ])(
    "calls fail as `not_sent` at their time limit if the token server issues no usable token: %s (%s)",
    async (_, result, grant) => {
      await start(grant, soon, { timeoutMs: 500 });
      const answers = await Promise.all([site.search(), site.submit(applicationBody())]);
      const detail = expect.stringContaining(
        result === "unusable" ? "returned no usable token" : "cannot be reached",
      );
      const expected = { ...notSent, code: "PROVIDER_UNREACHABLE", detail };
      expect(await Promise.all(answers.map(problemIn))).toEqual([
        expect.objectContaining(expected),
        expect.objectContaining(expected),
      ]);
      expect(site.insurer.arrivals).toEqual([]);
      const metrics = await site.metrics();
      expect(metrics).toContain(`token_fetches_total{provider="provider-d",result="${result}"}`);
      expect(metrics).toContain('breaker_state{provider="provider-d",state="closed"} 1');
    },
  );

  it("a call stops waiting for a token when its caller disconnects", async () => {
    const asked = Promise.withResolvers<() => void>();
    // The token server sends no answer, so only the caller's disconnect can end the wait.
    const held: Behaviour = (response) => asked.resolve(() => response.destroy());
    await start(held, {}, { timeoutMs: 30_000 });
    const gone = new AbortController();
    const call = site.search(gone.signal);
    const waiting = 'insurance_gateway_calls_awaiting_token{provider="provider-d"}';
    await expect.poll(() => site.metrics()).toContain(`${waiting} 1`);
    gone.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => site.metrics()).toContain(`${waiting} 0`);
    const breakOff = await asked.promise;
    breakOff();
  });

  it("the gateway sends one token request at a time for all calls to a token server that breaks every connection, and sends no call to the insurer", async () => {
    let open = 0;
    let most = 0;
    await start((response) => {
      open += 1;
      most = Math.max(most, open);
      response.once("close", () => {
        open -= 1;
      });
      setImmediate(() => response.destroy());
    }, soon);
    const answers = await Promise.all(Array.from({ length: 100 }, () => site.search()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
    expect(site.insurer.arrivals).toEqual([]);
    expect(most).toBe(1);
    expect(site.tokens.arrivals.length).toBeLessThan(answers.length);
  });

  it("no call fails if the token server works again, after three failures, within the time limit of the calls", async () => {
    // The default wait for a slot, 250 ms, is too short for a slow machine.
    await start(undefined, { bulkhead: { queueMs: 60_000 } });
    const { grant } = site.tokens;
    let failures = 3;
    site.tokens.grant = (response, arrival) => {
      failures -= 1;
      if (failures === 0) site.tokens.grant = grant;
      json(503, {})(response, arrival);
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => [site.search(), site.submit(applicationBody())]).flat(),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(site.tokens.arrivals).toHaveLength(4);
  });

  it("calls that wait for a slow token server use no slots of the insurer, and all succeed after the token has arrived", async () => {
    await start(undefined, { bulkhead: { running: 2, queued: 2, queueMs: 1 } });
    const { grant } = site.tokens;
    const waiting: (() => void)[] = [];
    site.tokens.grant = (...parts) => void waiting.push(() => grant(...parts));
    const calls = Array.from({ length: 60 }, () => site.search());
    await expect
      .poll(() => site.metrics())
      .toContain('insurance_gateway_calls_awaiting_token{provider="provider-d"} 60');
    expect(site.gateway.inUse()).toMatchObject([{ running: 0, queued: 0 }]);
    for (const answer of waiting) answer();
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(site.tokens.arrivals).toHaveLength(1);
  });

  it("the gateway uses a new client secret for the next token request after a reload", async () => {
    const replace = await startWithSecretFile();
    expect((await site.search()).status).toBe(502);
    replace();
    await reloadWhenSettled(site.time);
    expect((await site.search()).status).toBe(200);
    expect(site.gateway.log.join("\n")).toContain("an insurer's token cannot be fetched");
  });

  it("the gateway repeats a refused token request with the new client secret if a reload replaces the secret during the request", async () => {
    const replace = await startWithSecretFile();
    const { grant } = site.tokens;
    site.tokens.grant = (response, arrival) => {
      site.tokens.grant = grant;
      replace();
      void reloadNow(site.gateway, site.time).then(() => grant(response, arrival));
    };
    const answers = await Promise.all([site.search(), site.submit(applicationBody())]);
    expect(answers.map(({ status }) => status)).toEqual([200, 201]);
    expect(site.tokens.arrivals).toHaveLength(2);
  });
});

/** Starts a gateway with an old secret that its token server refuses. Returns a function that replaces the secret. */
async function startWithSecretFile(): Promise<() => void> {
  const folder = makeGatewayFolder();
  const file = join(folder.path, "secret.txt");
  writeFileSync(file, "old\n");
  site = await startCredentialSite({
    folder,
    credentials: (tokens) => oauth2(tokens, { clientSecret: { file: "secret.txt" } }),
  });
  const { grant } = site.tokens;
  site.tokens.grant = (response, arrival) => {
    const isNew = arrival.headers.authorization === `Basic ${btoa("broker:new")}`;
    (isNew ? grant : refused)(response, arrival);
  };
  return () => writeFileSync(file, "new\n");
}

describe("the operator's view of tokens", () => {
  it("the metrics and the log show the results of token requests and the token's age, but no secret", async () => {
    await start(refused);
    await site.search();
    site.time.forward(1_000);
    site.tokens.grant = json(200, { access_token: "t0ken" });
    site.accepts = ({ headers }) => headers.authorization === "Bearer t0ken";
    await site.search();
    site.time.forward(42_000);
    const metrics = await site.metrics();
    expect(metrics).toContain(
      'insurance_gateway_token_fetches_total{provider="provider-d",result="refused"} 1',
    );
    expect(metrics).toContain(
      'insurance_gateway_token_fetches_total{provider="provider-d",result="fetched"} 1',
    );
    expect(numbersOf(metrics, "token_age")).toEqual([42]);
    const log = site.gateway.log.join("\n");
    expect(log).toContain('"reason":"refused"');
    expect(metrics + log).not.toMatch(/s3cret|t0ken|czNjcmV0/);
  });
});

function numbersOf(metrics: string, name: string): readonly number[] {
  const lines = metrics.matchAll(new RegExp(`^insurance_gateway_${name}\\{.*\\} (.*)$`, "gm"));
  return [...lines].map(([, value]) => Number(value));
}
