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

/** Returns the content of all files of the store. */
function onDisk(): string {
  const folder = join(gateway.folder.path, "data");
  return readdirSync(folder)
    .filter((name) => name.startsWith("submissions.sqlite"))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("");
}

describe("stored submissions", () => {
  it("the store never contains a tax number, name, plate or idempotency key in plain text", async () => {
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

  it("the gateway replays the answer to a repeated idempotency key for 72 hours, and recognises the key for 90 days", async () => {
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

  it("the gateway still reports an insurer's refusal after 72 hours, when the stored answer is deleted", async () => {
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

describe("encryption keys of the store", () => {
  it("the operator can change the encryption key: the old key still decrypts, and no submission is sent again", async () => {
    const first = await (await submit()).text();
    await gateway.end();
    const both = await gateway.again({ submissions: { keys: [named("two"), named("one")] } });
    expect(await (await submit(both)).text()).toBe(first);
    await both.end();
    await expect(gateway.again({ submissions: { keys: [named("two")] } })).rejects.toThrow(
      /submissions\.keys: the key "one" must stay, after the new key/,
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

  it("a process that lacks the newest encryption key reports the outcome of a submission without the stored answer", async () => {
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

  it("two gateways that start for the first time at once create only one secret for their common store", async () => {
    const file = join(gateway.folder.path, "first.sqlite");
    const store = await openSqliteStore({ file, mode: "serve" });
    const encryption = createEncryption([{ id: "one", secret: randomBytes(32) }]);
    const open = (): Promise<Uint8Array> => openStoreSecret(store, encryption, "the test");
    const [one, other] = await Promise.all([open(), open()]);
    expect(Buffer.from(one).equals(other)).toBe(true);
    await store.close();
  });

  it("the gateway does not start if an encryption key has the id of the store's key but another secret", async () => {
    await gateway.end();
    const other = { ...secrets, KEY_one: freshKey() };
    await expect(gateway.again(undefined, other)).rejects.toThrow(
      /the key "one" must have the secret that the store was encrypted with/,
    );
  });

  it("the gateway does not start if an older encryption key has a changed secret, even if a newer key encrypts new data", async () => {
    expect((await submit()).status).toBe(201);
    await gateway.end();
    const configuration = { submissions: { keys: [named("two"), named("one")] } };
    await (await gateway.again(configuration)).end();
    await expect(gateway.again(configuration, { ...secrets, KEY_one: freshKey() })).rejects.toThrow(
      /the key "one" must have the secret that the store was encrypted with; add a new secret under another id/,
    );
    const again = await gateway.again(configuration);
    expect((await submit(again)).headers.get("idempotency-replayed")).toBe("true");
  });

  it("the operator can change the secret of an encryption key that has not encrypted anything", async () => {
    await gateway.end();
    const both = { submissions: { keys: [named("one"), named("two")] } };
    await (await gateway.again(both)).end();
    await (await gateway.again(both, { ...secrets, KEY_two: freshKey() })).end();
  });

  it.each([
    ["short", /submissions\.keys\[0\]\.secret: must be 32 bytes in base64/],
    ["missing", /KEY_missing is not set/],
  ])("the gateway does not start with an encryption key that is %s", async (id, fault) => {
    await gateway.end();
    await expect(gateway.again({ submissions: { keys: [named(id)] } })).rejects.toThrow(fault);
  });

  it("the gateway does not start in production without an encryption key, or with two encryption keys of the same id", async () => {
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

describe("retention settings", () => {
  it("the gateway refuses a configuration that deletes idempotency keys before the answers", async () => {
    await gateway.end();
    const submissions = { keys: [named("one")], answerKeptHours: 49, keyRetentionDays: 2 };
    await expect(gateway.again({ submissions })).rejects.toThrow(
      /submissions\.keyRetentionDays: must not be shorter than answerKeptHours/,
    );
  });
});

describe("a gateway without a configured encryption key", () => {
  it("the gateway creates an encryption key in a file that only the owner can read, and uses the key at the next start", async () => {
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
