import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEncryption, openStoreSecret } from "../../src/store/encryption.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";

const HOUR = 3_600_000;
const AFM = "987654321";

let gateway: FaultyGateway;
let body: object;
let key: string;

beforeEach(async () => {
  gateway = await startFaultyGateway({ submissions: { keys: [named("one")] } }, secrets);
  body = applicationBody(AFM);
  key = `my key for ${AFM}`;
});
afterEach(() => gateway.stop());

const secrets = { KEY_one: freshKey(), KEY_two: freshKey(), KEY_short: "c2hvcnQ=" };

function freshKey(): string {
  return randomBytes(32).toString("base64");
}

function named(id: string): object {
  return { id, secret: { env: `KEY_${id}` } };
}

function submit(at: { address: string; token: string } = gateway): Promise<Response> {
  return submitApplication(at, body, { "idempotency-key": key });
}

/** Everything that is on disk. */
function onDisk(): string {
  const folder = join(gateway.folder.path, "data");
  return readdirSync(folder)
    .filter((name) => name.startsWith("submissions.sqlite"))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("");
}

describe("what is stored of a submission", () => {
  it("holds no tax number, name, plate or idempotency key, while it is unknown and when it is answered", async () => {
    await gateway.insurer.behave("execute-then-reset");
    await submit();
    await gateway.insurer.behave(null);
    const canaries = [AFM, "Παπαδοπούλου", "1234", "my key"].flatMap((text) => [
      Buffer.from(text).toString("latin1"),
      Buffer.from(text).toString("base64").replace(/=*$/, ""),
    ]);
    const expectNone = (): void => {
      for (const canary of canaries) expect(onDisk()).not.toContain(canary);
    };
    expectNone();
    gateway.time.forward(2_000);
    await gateway.time.tick();
    expect((await submit()).status).toBe(201);
    expectNone();
  });

  it("is replayed for 72 hours, and its key is known for 90 days", async () => {
    expect((await submit()).status).toBe(201);
    await pass(72 * HOUR - 1);
    expect((await submit()).headers.get("idempotency-replayed")).toBe("true");
    await pass(2);
    const late = await submit();
    expect(late.status).toBe(502);
    expect(await problemIn(late)).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "executed",
      retry: "never",
      insurerId: gateway.records[0]?.id,
    });
    expect(gateway.records).toHaveLength(1);
    await pass(90 * 24 * HOUR);
    expect((await submit()).headers.get("idempotency-replayed")).toBeNull();
    expect(gateway.records).toHaveLength(2);
  });

  it("a stored refusal is still reported as a refusal after 72 hours", async () => {
    await gateway.insurer.behave("rejected");
    await submit();
    await gateway.insurer.behave(null);
    await pass(73 * HOUR);
    const late = await submit();
    expect(late.status).toBe(422);
    expect(await problemIn(late)).toMatchObject({ code: "PROVIDER_REJECTED", retry: "never" });
    expect(gateway.records).toHaveLength(0);
  });
});

async function pass(milliseconds: number): Promise<void> {
  gateway.time.forward(milliseconds);
  await gateway.time.tick();
}

describe("the keys that encrypt it", () => {
  it("can be changed: the new one encrypts, the old one still decrypts, and no idempotency key is sent again", async () => {
    const first = await (await submit()).text();
    await gateway.end();
    const both = await gateway.again({ submissions: { keys: [named("two"), named("one")] } });
    expect(await (await submit(both)).text()).toBe(first);
    await both.end();
    await expect(gateway.again({ submissions: { keys: [named("two")] } })).rejects.toThrow(
      /submissions\.keys: the store has what the key "one" encrypted/,
    );
    gateway.time.forward(73 * HOUR);
    const last = await gateway.again({ submissions: { keys: [named("two"), named("one")] } });
    await gateway.time.tick();
    await last.end();
    const without = await gateway.again({ submissions: { keys: [named("two")] } });
    expect((await submit(without)).status, "known, though its answer is dropped").toBe(502);
    expect(gateway.records).toHaveLength(1);
    await without.end();
  });

  it("a process without the new encryption key reports the facts that need no stored answer", async () => {
    const { insurer, records } = gateway;
    await gateway.end();
    const { folder } = gateway;
    const file = join(folder.path, "data", "submissions.sqlite");
    const shared = await openSqliteStore({ file, mode: "serve" });
    const openStore = async (): Promise<SubmissionStore> => ({ ...shared, close: async () => {} });
    const providers = [insurerConfiguration("d", insurer.baseUrl)];
    const start = (...keys: readonly object[]): Promise<GatewayInProcess> =>
      startInProcess({ providers, submissions: { keys } }, secrets, { folder, openStore });
    const before = await start(named("one"));
    const after = await start(named("two"), named("one"));
    expect((await submit(after)).status).toBe(201);

    const executed = await submit(before);
    expect(await problemIn(executed)).toMatchObject({
      status: 502,
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "executed",
      retry: "never",
      insurerId: records[0]?.id,
      detail: expect.stringContaining("the key that encrypted the answer is not configured here"),
    });
    const { reconciliation } = await problemIn(await submit(before));
    const status = await fetch(before.address + Reflect.get(Object(reconciliation), "href"), {
      headers: { authorization: `Bearer ${before.token}` },
    });
    expect(await status.json()).toMatchObject({ state: "succeeded", answer: null });

    await insurer.behave("rejected");
    [body, key] = [applicationBody(), randomUUID()];
    expect((await submit(after)).status).toBe(422);
    expect(await problemIn(await submit(before))).toMatchObject({
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      detail: expect.stringContaining("the key that encrypted the answer is not configured here"),
    });
    expect(records).toHaveLength(1);
    await after.end();
    await before.end();
    await shared.close();
  });

  it("encrypt one secret, whichever of two first processes makes it", async () => {
    const file = join(gateway.folder.path, "first.sqlite");
    const store = await openSqliteStore({ file, mode: "serve" });
    const encryption = createEncryption([{ id: "one", secret: randomBytes(32) }]);
    const open = (): Promise<Uint8Array> => openStoreSecret(store, encryption, "the test");
    const [one, other] = await Promise.all([open(), open()]);
    expect(Buffer.from(one).equals(other)).toBe(true);
    await store.close();
  });

  it("are needed: another one of the same name is refused", async () => {
    await gateway.end();
    const other = { ...secrets, KEY_one: freshKey() };
    await expect(gateway.again(undefined, other)).rejects.toThrow(
      /the key "one" is not the one that the store was encrypted with/,
    );
  });

  it("are refused with another secret also when a newer one encrypts", async () => {
    expect((await submit()).status).toBe(201);
    await gateway.end();
    const configuration = { submissions: { keys: [named("two"), named("one")] } };
    await (await gateway.again(configuration)).end();
    await expect(gateway.again(configuration, { ...secrets, KEY_one: freshKey() })).rejects.toThrow(
      /the key "one" is not the one that the store was encrypted with; configure its earlier secret again, and add a new secret under another id/,
    );
    const again = await gateway.again(configuration);
    expect((await submit(again)).headers.get("idempotency-replayed")).toBe("true");
  });

  it("may get another secret while they have encrypted nothing", async () => {
    await gateway.end();
    const both = { submissions: { keys: [named("one"), named("two")] } };
    await (await gateway.again(both)).end();
    await (await gateway.again(both, { ...secrets, KEY_two: freshKey() })).end();
  });

  it.each([
    ["short", /submissions\.keys\[0\]\.secret: must be 32 bytes in base64/],
    ["missing", /KEY_missing is not set/],
  ])("are refused when they are %s", async (id, fault) => {
    await gateway.end();
    await expect(gateway.again({ submissions: { keys: [named(id)] } })).rejects.toThrow(fault);
  });

  it("must be configured in production, and twice the same name is refused", async () => {
    await gateway.end();
    const issuers = [
      {
        issuer: "https://issuer.example",
        audience: "gateway",
        jwksUri: "https://issuer.example/keys",
        algorithms: ["ES256"],
      },
    ];
    const production = { ...secrets, NODE_ENV: "production" };
    await expect(gateway.again({ issuers }, production)).rejects.toThrow(
      /submissions\.keys: must have a key that is kept apart/,
    );
    const twice = { submissions: { keys: [named("one"), named("one")] } };
    await expect(gateway.again(twice)).rejects.toThrow(/submissions\.keys\[1\]\.id: appears twice/);
  });
});

describe("how long it is kept", () => {
  it("is refused when a key would be forgotten before its answer", async () => {
    await gateway.end();
    const submissions = { keys: [named("one")], answerKeptHours: 49, keyRetentionDays: 2 };
    await expect(gateway.again({ submissions })).rejects.toThrow(
      /submissions\.keyRetentionDays: must not be shorter than answerKeptHours/,
    );
  });
});

describe("without a configured key", () => {
  it("one is made on the first start, for its owner only, and found on the next", async () => {
    const plain = await startFaultyGateway();
    const file = join(plain.folder.path, "data", "submissions.key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    key = randomUUID();
    const first = await (await submit(plain)).text();
    await plain.end();
    const next = await plain.again();
    const again = await submit(next);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await again.text()).toBe(first);
    await next.end();
    await plain.insurer.close();
    plain.folder.remove();
  });
});
