import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import timers from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { longestCallMs } from "../../src/gateway.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { waitTurns } from "../harness/turns.ts";

let insurer: Insurer;
beforeEach(async () => {
  insurer = await startInsurer(json(200, []));
});
afterEach(() => insurer.close());

function startWith(more: object = {}): Promise<GatewayInProcess> {
  const providers = ["d", "a"].map((letter) => insurerConfiguration(letter, insurer.baseUrl));
  return startInProcess({ providers, ...more });
}

/** Prevents the end of timers with the given length. The returned function ends these timers. */
function holdWaits(milliseconds: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = timers.setTimeout;
  const mock = vi
    .spyOn(timers, "setTimeout")
    .mockImplementation((delay, value, options) =>
      delay === milliseconds ? promise.then(() => value) : wait(delay, value, options),
    );
  syncBuiltinESMExports();
  onTestFinished(() => {
    mock.mockRestore();
    syncBuiltinESMExports();
  });
  return resolve;
}

describe("a started gateway", () => {
  it("a started gateway reports its address with the base path, and the path of the first lookup that needs no query", async () => {
    const gateway = await startWith({ listen: { basePath: "/insurance" } });
    const { address, firstLookup, operationsAddress, referenceAddress } = gateway;
    await gateway.stop();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/insurance$/);
    expect(operationsAddress).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(referenceAddress).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/insurance\/reference#start=[\w-]{43}$/,
    );
    expect(firstLookup).toBe("/provider-a/auto/brands");
  });

  it("a started gateway reports no address of the reference if the reference is switched off", async () => {
    const gateway = await startWith({ reference: { served: false } });
    await gateway.stop();
    expect(gateway.referenceAddress).toBeNull();
  });

  it("a stopping gateway is reported as not ready at once, still serves calls, and answers health probes until the end", async () => {
    const gateway = await startWith({ shutdown: { noticeMs: 119_999 } });
    const endNotice = holdWaits(119_999);
    const ready = async (): Promise<number> =>
      (await fetch(`${gateway.operationsAddress}/health/ready`)).status;
    expect(await ready()).toBe(200);
    const stopped = gateway.stop();
    await expect.poll(ready).toBe(503);
    const served = await gateway.ask("/providers");
    expect([served.status, served.headers.get("connection")]).toEqual([200, "close"]);
    await served.arrayBuffer();
    endNotice();
    await stopped;
    await expect(fetch(gateway.address)).rejects.toThrow("fetch failed");
    await expect(ready()).rejects.toThrow("fetch failed");
  });
});

it("a gateway that cannot listen on its address closes the store that the gateway has opened", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const data = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const stores: SubmissionStore[] = [];
  const providers = [insurerConfiguration("d", insurer.baseUrl)];
  const started = startInProcess(
    { providers },
    { PORT: String(port) },
    {
      async openStore() {
        const store = await openStore({ data, databaseUrl: undefined }, "serve");
        stores.push(store);
        return store;
      },
    },
  );
  await expect(started).rejects.toThrow("EADDRINUSE");
  const [store] = stores;
  await expect(store?.usageOn("2026-11-22", null)).rejects.toThrow(StoreUnavailableError);
});

it("a stopping gateway writes the usage counts before the store is closed", async () => {
  const data = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
  const eventNames: string[] = [];
  /** Opens a store that records the beginning and the end of its transactions, each of which takes some time. */
  async function openNoting(): Promise<SubmissionStore> {
    const store = await openStore({ data, databaseUrl: undefined }, "serve");
    return new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...given: readonly unknown[]) => {
          eventNames.push(`${String(name)} begins`);
          const result: unknown = await Reflect.apply(value, target, given);
          await waitTurns(5);
          eventNames.push(`${String(name)} ends`);
          return result;
        };
      },
    });
  }
  const gateway = await startInProcess(
    {
      providers: [insurerConfiguration("d", insurer.baseUrl)],
    },
    {},
    { openStore: openNoting, time: holdTime() },
  );
  const path = "/provider-d/applications/search?clientAfm=123456789";
  const answer = await gateway.ask(path);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  await expect.poll(() => eventNames).toContain("addCounts ends");
  eventNames.length = 0;
  await gateway.stop();
  const written = eventNames.filter((name) => /^(addCounts|close) /.test(name));
  expect(written).toEqual(["addCounts begins", "addCounts ends", "close begins", "close ends"]);
});

it("the gateway answers 503 with a reason to requests about accounts while the store cannot be opened", async () => {
  const { package: name } = insurerConfiguration("d", "");
  const upstream = { baseUrl: insurer.baseUrl, adapter: "declared" };
  const gateway = await startInProcess(
    {
      providers: [{ package: name, upstream }],
      accounts: { claim: "broker" },
      operations: { accountsToken: { env: "ACCOUNTS_TOKEN" } },
      submissions: { keys: [{ id: "one", secret: { env: "KEY" } }] },
    },
    {
      ACCOUNTS_TOKEN: "operator-token-7c1d-6f02-4b5e-9a31",
      KEY: Buffer.alloc(32, 1).toString("base64"),
      DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
    },
  );
  const answers = await Promise.all(
    ["", "/north/verification"].map(async (path) => {
      const answer = await fetch(`${gateway.operationsAddress}/accounts${path}`, {
        method: path === "" ? "GET" : "POST",
        headers: { authorization: "Bearer operator-token-7c1d-6f02-4b5e-9a31" },
      });
      return [answer.status, await answer.json()];
    }),
  );
  await gateway.stop();
  const detail = "The gateway cannot reach its store. Try again later.";
  const unavailable = [503, { status: 503, detail, errors: [detail] }];
  expect(answers).toEqual([unavailable, unavailable]);
});

it("the gateway's longest time limit of a call is the maximum of all providers' time limits", () => {
  const provider = (submissionMs: number, totalMs: number): never =>
    // `longestCallMs` reads only the timeouts of a provider.
    ({ timeouts: { submissionMs, totalMs } }) as never;
  expect(longestCallMs({ providers: [provider(30, 10), provider(20, 15)] })).toBe(30);
  expect(longestCallMs({ providers: [provider(30, 10), provider(20, 45)] })).toBe(45);
});
