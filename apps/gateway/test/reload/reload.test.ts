import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { oneFound } from "../configuration/effects.ts";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, problem, startInsurer } from "../harness/insurer.ts";
import { reloadNow, reloadWhenSettled } from "./settled.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
let folder: GatewayFolder;
let time: HeldTime;

/** Returns the configuration with changed settings of the provider and changed sections. */
function configuration(provider: object = {}, sections: object = {}): object {
  return {
    // The test may block the event loop, which the gateway uses too. The gateway must not refuse requests then.
    overload: { eventLoopDelayMs: 3_600_000 },
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl, {
          credentials: { type: "bearer", token: { file: "token.txt" } },
        }),
        ...provider,
      },
    ],
    ...sections,
  };
}

beforeEach(async () => {
  insurer = await startInsurer(oneFound);
  folder = makeGatewayFolder();
  time = holdTime();
  writeFileSync(join(folder.path, "token.txt"), "first\n");
  gateway = await startInProcess(configuration(), {}, { folder, time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

function look(headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return gateway.ask("/provider-d/applications/search?clientAfm=123456789", { headers });
}

/** Writes a configuration file, and makes the gateway reload the configuration. */
function reloadWith(
  ...parts: Parameters<typeof configuration>
): ReturnType<GatewayInProcess["reload"]> {
  folder.writeConfiguration(configuration(...parts));
  return reloadNow(gateway, time);
}

const tokens = (): readonly unknown[] =>
  insurer.arrivals.map(({ headers }) => headers.authorization);
const metrics = async (): Promise<string> =>
  (await fetch(`${gateway.operationsAddress}/metrics`)).text();
const logLines = (): readonly Record<string, unknown>[] =>
  gateway.log.map((line) => JSON.parse(line));

describe("a secret in a file", () => {
  const write = (text: string): void => writeFileSync(join(folder.path, "token.txt"), text);

  it("the gateway uses a changed secret if the secret's file is unchanged a second later", async () => {
    write("second");
    time.forward(60_000);
    await time.tick();
    await look();
    time.forward(999);
    await time.tick();
    await look();
    time.forward(1);
    await time.tick();
    await look();
    expect(tokens()).toEqual(["Bearer first", "Bearer first", "Bearer second"]);
  });

  it("the gateway does not use a secret that is still changing or empty", async () => {
    time.forward(60_000);
    for (const text of ["sec", "second-", "second-tok"]) {
      write(text);
      await time.tick();
      time.forward(1_000);
    }
    write("");
    await time.tick();
    await reloadWhenSettled(time);
    await look();
    write("second-token");
    await reloadWhenSettled(time);
    await look();
    expect(tokens()).toEqual(["Bearer first", "Bearer second-token"]);
  });

  it("the gateway uses a secret's new value if the link to the secret's file is replaced, as Kubernetes does", async () => {
    const version = (name: string, token: string): void => {
      mkdirSync(join(folder.path, name));
      writeFileSync(join(folder.path, name, "token"), token);
    };
    version("..first", "one");
    version("..second", "two");
    symlinkSync("..first", join(folder.path, "..data"));
    const provider = {
      upstream: {
        baseUrl: insurer.baseUrl,
        adapter: "declared",
        credentials: { type: "bearer", token: { file: "..data/token" } },
      },
    };
    expect(await reloadWith(provider)).toMatchObject({ result: "applied" });
    await look();
    symlinkSync("..second", join(folder.path, "..new"));
    renameSync(join(folder.path, "..new"), join(folder.path, "..data"));
    await reloadWhenSettled(time);
    await look();
    expect(tokens()).toEqual(["Bearer one", "Bearer two"]);
  });

  it("the gateway's log contains the configuration key of a changed secret, but not the secret's value", async () => {
    write("s3cret");
    await reloadWhenSettled(time);
    const line = logLines().find(({ msg }) => msg === "the configuration was reloaded");
    expect(line?.keys).toEqual(["providers[0].upstream.credentials.token"]);
    expect(gateway.log.join("")).not.toContain("s3cret");
  });
});

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
    insurer.behaviour = problem(422, "LIMIT");
    expect(await (await submitApplication(gateway, applicationBody())).json()).toMatchObject({
      code: "OUTCOME_UNKNOWN",
    });
    const result = await reloadWith(
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
    const rejected = await submitApplication(gateway, applicationBody());
    expect(await rejected.json()).toMatchObject({ code: "BROKER_LIMIT_EXCEEDED" });
    expect(rejected.headers.get("ratelimit-policy")).toBe('"caller";q=5;w=60');
    const large = await submitApplication(gateway, { text: "x".repeat(3_000) });
    expect(large.status).toBe(413);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, one) => [`x-${one}`, "1"]));
    expect((await look(many)).status).toBe(431);
    const before = insurer.arrivals.length;
    insurer.behaviour = () => {};
    expect((await look()).status).toBe(504);
    expect(insurer.arrivals).toHaveLength(before + 1);
  });

  it("a reload does not interrupt a running call, which keeps the old settings", async () => {
    let answer = (): void => {};
    insurer.behaviour = (response, arrival) => {
      answer = () => oneFound(response, arrival);
    };
    const arrival = insurer.nextArrival();
    const slow = look();
    await arrival;
    writeFileSync(join(folder.path, "token.txt"), "second");
    const result = await reloadWith({ bulkhead: { running: 2 }, timeouts: { connectMs: 500 } });
    expect(result).toMatchObject({ result: "applied" });
    const finish = answer;
    insurer.behaviour = oneFound;
    expect((await look()).status).toBe(200);
    finish();
    expect((await slow).status).toBe(200);
    expect(tokens()).toEqual(["Bearer first", "Bearer second"]);
  });

  it("the gateway repeats a call with new credentials if the insurer refuses the old credentials after a reload", async () => {
    let answer = (): void => {};
    insurer.behaviour = (response, arrival) => {
      answer = () => problem(401, "UNAUTHENTICATED")(response, arrival);
    };
    const arrival = insurer.nextArrival();
    const slow = look();
    await arrival;
    writeFileSync(join(folder.path, "token.txt"), "second");
    await reloadWhenSettled(time);
    insurer.behaviour = oneFound;
    answer();
    expect((await slow).status).toBe(200);
    expect(tokens()).toEqual(["Bearer first", "Bearer second"]);
  });

  it("a reload keeps the state of the circuit breaker and the number of a caller's requests", async () => {
    insurer.behaviour = problem(500, "FAILED");
    for (let call = 0; call < 5; call += 1) await look();
    const before = insurer.arrivals.length;
    await reloadWith({ retries: { attempts: 2 }, callerLimit: { requests: 6 } });
    const held = await look();
    expect(await held.json()).toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
    expect(insurer.arrivals).toHaveLength(before);
    expect((await look()).status).toBe(429);
  });

  it("a reload without a changed setting is not logged", async () => {
    expect(await reloadNow(gateway, time)).toEqual({ result: "unchanged" });
    expect(gateway.log.join("")).not.toContain("reloaded");
  });

  it("the gateway's metrics count reloads and show the time of the latest reload", async () => {
    time.forward(60_000);
    await reloadWith({ callerLimit: { requests: 700 } });
    const text = await metrics();
    expect(text).toContain('insurance_gateway_reloads_total{result="applied"} 1');
    expect(text).toContain("insurance_gateway_configuration_newest 1");
    expect(text).toContain(`insurance_gateway_configuration_applied_at ${time.now() / 1_000}`);
  });
});

describe("a refused reload", () => {
  it("a refused reload reports all faults at once, and changes no setting", async () => {
    const result = await reloadWith(
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
    const line = logLines().find(({ faults: found }) => found !== undefined);
    expect(line?.faults).toHaveLength(faults.length);
    expect((await look()).headers.get("ratelimit-policy")).toBe('"caller";q=600;w=60');
    expect(await metrics()).toContain("insurance_gateway_configuration_newest 0");
  });

  it("a refused reload reports the faults of providers together with the faults of the configuration's other sections", async () => {
    const result = await reloadWith(
      { upstream: { baseUrl: insurer.baseUrl, credentials: { type: "login" } } },
      {
        providers: [
          ...[configuration()].flatMap((one) => Reflect.get(one, "providers")),
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
    writeFileSync(join(folder.path, "gateway.config.json"), text);
    expect(await reloadNow(gateway, time)).toEqual({ result: "refused", faults: [fault] });
    expect((await look()).status).toBe(200);
  });

  it("a reload is refused completely, with the reason, if one of the changed settings needs a new process", async () => {
    const result = await reloadWith(
      { segment: "motor", callerLimit: { requests: 700 } },
      { data: "elsewhere", limits: { headerBytes: 32_768 } },
    );
    expect(result).toEqual({
      result: "refused",
      faults: [
        expect.stringMatching(/^limits\.headerBytes: needs a new process; \w/),
        expect.stringMatching(/^data: needs a new process; \w/),
        expect.stringMatching(/^providers\[0\]\.segment: needs a new process; \w/),
      ],
    });
    expect((await look()).headers.get("ratelimit-policy")).toBe('"caller";q=600;w=60');
  });

  it("a reload succeeds after a refused reload if the files have their old content again", async () => {
    await reloadWith({ segment: "motor" });
    folder.writeConfiguration(configuration());
    await reloadWhenSettled(time);
    const text = await metrics();
    expect(text).toContain("insurance_gateway_configuration_newest 1");
    expect(text).toContain('insurance_gateway_reloads_total{result="refused"} 1');
  });
});
