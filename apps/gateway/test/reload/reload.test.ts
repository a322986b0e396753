import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { problem } from "../harness/insurer.ts";
import { oneFound } from "../harness/site.ts";
import { type ReloadedGateway, startReloaded } from "./reloaded-gateway.ts";
import { reloadNow, reloadWhenSettled } from "./settled.ts";

let site: ReloadedGateway;
beforeEach(async () => {
  site = await startReloaded();
});
afterEach(() => site.stop());

describe("a successful reload", () => {
  it("a reload applies new limits, timeouts, retries and `failures` to the first request after the reload", async () => {
    const failures = [
      {
        status: 422,
        media: "application/problem+json",
        at: "/code",
        is: ["LIMIT"],
        code: "BROKER_LIMIT_EXCEEDED",
        outcome: "rejected",
        why: "The insurer's manual, page 3",
      },
    ];
    site.insurer.behaviour = problem(422, "LIMIT");
    expect(await (await submitApplication(site.gateway, applicationBody())).json()).toMatchObject({
      code: "OUTCOME_UNKNOWN",
    });
    const result = await site.reloadWith(
      {
        failures,
        callerLimit: { requests: 5 },
        retries: { attempts: 1 },
        timeouts: { totalMs: 2_000 },
      },
      { limits: { bodyBytes: 2_048, tokenBytes: 2_000, headers: 20 } },
    );
    expect(result).toMatchObject({
      result: "applied",
      changed: expect.arrayContaining([
        "limits.bodyBytes",
        "providers[0].failures[0]",
        "providers[0].timeouts.totalMs",
      ]),
    });
    const rejected = await submitApplication(site.gateway, applicationBody());
    expect(await rejected.json()).toMatchObject({ code: "BROKER_LIMIT_EXCEEDED" });
    expect(rejected.headers.get("ratelimit-policy")).toBe('"caller";q=5;w=60');
    const large = await submitApplication(site.gateway, { text: "x".repeat(3_000) });
    expect(large.status).toBe(413);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, one) => [`x-${one}`, "1"]));
    expect((await site.look(many)).status).toBe(431);
    const before = site.insurer.arrivals.length;
    site.insurer.behaviour = () => {};
    expect((await site.look()).status).toBe(504);
    expect(site.insurer.arrivals).toHaveLength(before + 1);
  });

  it("a reload does not interrupt a running call, which keeps the old settings", async () => {
    let answer = (): void => {};
    site.insurer.behaviour = (response, arrival) => {
      answer = () => oneFound(response, arrival);
    };
    const arrival = site.insurer.nextArrival();
    const slow = site.look();
    await arrival;
    site.writeToken("second");
    const result = await site.reloadWith({
      bulkhead: { running: 2 },
      timeouts: { connectMs: 500 },
    });
    expect(result).toMatchObject({ result: "applied" });
    const finish = answer;
    site.insurer.behaviour = oneFound;
    expect((await site.look()).status).toBe(200);
    finish();
    expect((await slow).status).toBe(200);
    expect(site.tokens()).toEqual(["Bearer first", "Bearer second"]);
  });

  it("the gateway repeats a call with new credentials if the insurer refuses the old credentials after a reload", async () => {
    let answer = (): void => {};
    site.insurer.behaviour = (response, arrival) => {
      answer = () => problem(401, "UNAUTHENTICATED")(response, arrival);
    };
    const arrival = site.insurer.nextArrival();
    const slow = site.look();
    await arrival;
    site.writeToken("second");
    await reloadWhenSettled(site.time);
    site.insurer.behaviour = oneFound;
    answer();
    expect((await slow).status).toBe(200);
    expect(site.tokens()).toEqual(["Bearer first", "Bearer second"]);
  });

  it("a reload keeps the state of the circuit breaker and the number of a caller's requests", async () => {
    site.insurer.behaviour = problem(500, "FAILED");
    for (let call = 0; call < 5; call += 1) await site.look();
    const before = site.insurer.arrivals.length;
    await site.reloadWith({ retries: { attempts: 2 }, callerLimit: { requests: 6 } });
    const held = await site.look();
    expect(await held.json()).toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
    expect(site.insurer.arrivals).toHaveLength(before);
    expect((await site.look()).status).toBe(429);
  });

  it("a reload without a changed setting is not logged", async () => {
    expect(await reloadNow(site.gateway, site.time)).toEqual({ result: "unchanged" });
    expect(site.gateway.log.join("")).not.toContain("reloaded");
  });

  it("the gateway's metrics count reloads and show the time of the latest reload", async () => {
    site.time.forward(60_000);
    await site.reloadWith({ callerLimit: { requests: 700 } });
    const text = await site.metrics();
    expect(text).toContain('insurance_gateway_reloads_total{result="applied"} 1');
    expect(text).toContain("insurance_gateway_configuration_newest 1");
    expect(text).toContain(`insurance_gateway_configuration_applied_at ${site.time.now() / 1_000}`);
  });
});

describe("a refused reload", () => {
  it("a refused reload reports all faults at once, and changes no setting", async () => {
    const result = await site.reloadWith(
      {
        timeouts: { totalMs: 0, surprise: 1 },
        callerLimit: { requests: 1 },
      },
      {
        limits: { bodyBytes: 1 },
        unknown: {},
        issuers: [
          { issuer: "x", audience: "y", jwksUri: "https://x.example/keys", algorithms: ["ES256"] },
          { issuer: "x", audience: "y", jwksUri: "https://x.example/keys", algorithms: ["ES256"] },
        ],
        submissions: { keys: [{ id: "one", secret: { file: "missing.key" } }] },
        listen: { tls: { certificate: { file: "token.txt" }, key: { env: "NO_KEY" } } },
      },
    );
    const faults = result.result === "refused" ? result.faults.toSorted() : [];
    expect(faults.map((fault) => fault.replace(/: .*/, ""))).toEqual(
      [
        "issuers[1].issuer",
        "limits.bodyBytes",
        "listen.tls.certificate",
        "listen.tls.key",
        "providers[0].timeouts.surprise",
        "providers[0].timeouts.totalMs",
        "submissions.keys[0].secret",
        "unknown",
      ].toSorted(),
    );
    const line = site.gateway.log
      .map((text) => JSON.parse(text))
      .find(({ faults: found }) => found !== undefined);
    expect(line?.faults).toHaveLength(faults.length);
    expect((await site.look()).headers.get("ratelimit-policy")).toBe('"caller";q=600;w=60');
    expect(await site.metrics()).toContain("insurance_gateway_configuration_newest 0");
  });

  it("a refused reload reports the faults of providers together with the faults of the configuration's other sections", async () => {
    const result = await site.reloadWith(
      { upstream: { baseUrl: site.insurer.baseUrl, credentials: { type: "login" } } },
      {
        providers: [
          ...[site.configuration()].flatMap((one) => Reflect.get(one, "providers")),
          { package: "@insurance-gateway/provider-z", upstream: "sandbox" },
          { package: 7, upstream: "sandbox" },
        ],
        overload: { eventLoopDelayMs: "soon" },
      },
    );
    const faults = result.result === "refused" ? result.faults.join("\n") : "";
    expect(faults).toMatch(/^providers\[1\]\.package: @insurance-gateway\/provider-z is not/m);
    expect(faults).toMatch(/^providers\[2\]\.package: /m);
    expect(faults).toMatch(/^overload\.eventLoopDelayMs: /m);
  });

  it.each([
    ["a file that is not JSON", "{", "the file is not JSON"],
    ["an empty file", "", "the file is not JSON"],
    [
      "a file that is a list",
      "[]",
      "(the whole file): Invalid input: expected object, received array",
    ],
  ])("a reload is refused because of %s", async (_, text, fault) => {
    writeFileSync(join(site.folder.path, "gateway.config.json"), text);
    expect(await reloadNow(site.gateway, site.time)).toEqual({
      result: "refused",
      faults: [fault],
    });
    expect((await site.look()).status).toBe(200);
  });

  it("a reload is refused completely, with the reason, if one of the changed settings needs a new process", async () => {
    const result = await site.reloadWith(
      { segment: "motor", callerLimit: { requests: 700 } },
      { data: "elsewhere", limits: { headerBytes: 32_768 } },
    );
    expect(result).toEqual({
      result: "refused",
      faults: [
        expect.stringMatching(/^limits\.headerBytes: needs a new process; \w/),
        "data: needs a new process; the stored data are there",
        expect.stringMatching(/^providers\[0\]\.segment: needs a new process; \w/),
      ],
    });
    expect((await site.look()).headers.get("ratelimit-policy")).toBe('"caller";q=600;w=60');
  });

  it("a reload succeeds after a refused reload if the files have their old content again", async () => {
    await site.reloadWith({ segment: "motor" });
    await reloadWhenSettled(site.time);
    expect(await site.metrics()).toContain("insurance_gateway_configuration_newest 0");
    site.folder.writeConfiguration(site.configuration());
    await reloadWhenSettled(site.time);
    const text = await site.metrics();
    expect(text).toContain("insurance_gateway_configuration_newest 1");
    expect(text).toContain('insurance_gateway_reloads_total{result="refused"} 1');
  });
});
