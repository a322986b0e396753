import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Configuration, examineConfiguration } from "../../src/configuration/load.ts";
import { readOrCreate } from "../../src/configuration/own-file.ts";
import {
  openSubmissionKeys,
  retentionOf,
  storePlace,
} from "../../src/configuration/submission-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "own-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function configurationWith(submissions: object = {}): Configuration {
  const providers = [{ package: "p", upstream: "sandbox" }];
  const text = JSON.stringify({ providers, submissions });
  const { configuration } = examineConfiguration({}, folder, { read: () => ({ text }) });
  if (configuration === null) throw new TypeError("The configuration is wrong");
  return configuration;
}

describe("files that the gateway creates", () => {
  it("readOrCreate creates a missing file with its folder, and only the owner can read the file", async () => {
    const file = join(folder, "deep/own");
    expect(await readOrCreate(file, () => "first")).toBe("first");
    expect(await readOrCreate(file, () => "second")).toBe("first");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "deep"))).toEqual(["own"]);
  });

  it("readOrCreate returns the content from another process if that process creates the file at the same time", async () => {
    const file = join(folder, "own");
    const content = async (): Promise<string> => {
      writeFileSync(file, "the other's");
      return "mine";
    };
    expect(await readOrCreate(file, content)).toBe("the other's");
    expect(readdirSync(folder)).toEqual(["own"]);
  });

  it("readOrCreate throws, and leaves no file behind, if a file cannot be read or created", async () => {
    mkdirSync(join(folder, "own"));
    await expect(readOrCreate(join(folder, "own"), () => "x")).rejects.toMatchObject({
      code: "EISDIR",
    });
    await expect(readOrCreate(join(folder, "x".repeat(300)), () => "x")).rejects.toMatchObject({
      code: "ENAMETOOLONG",
    });
    expect(readdirSync(folder)).toEqual(["own"]);
  });
});

describe("the encryption keys of the store", () => {
  const secret = Buffer.alloc(32, 7);

  it("the store uses the encryption keys of the configuration, in the configured order", async () => {
    const configuration = configurationWith({
      keys: [
        { id: "one", secret: { env: "ONE" } },
        { id: "two", secret: { file: "two" } },
      ],
    });
    writeFileSync(join(folder, "two"), Buffer.alloc(32, 8).toString("base64"));
    const environment = { ONE: secret.toString("base64") };
    expect(await openSubmissionKeys(configuration, environment, "beside")).toEqual([
      { id: "one", secret },
      { id: "two", secret: Buffer.alloc(32, 8) },
    ]);
    await expect(
      openSubmissionKeys(configuration, { ONE: "short" }, "beside"),
    ).rejects.toMatchObject({
      faults: [
        "submissions.keys[0].secret: must be 32 bytes in base64; create one with `openssl rand -base64 32`",
      ],
    });
    expect(readdirSync(folder)).toEqual(["two"]);
  });

  it("the gateway creates an encryption key at its first start if no key is configured, and commands use the created key", async () => {
    const configuration = configurationWith();
    const file = join(folder, "data/submissions.key");
    await expect(openSubmissionKeys(configuration, {}, "beside")).rejects.toMatchObject({
      faults: [
        `${file} does not exist; run the command in the gateway's folder, or with its submissions.keys`,
      ],
    });
    const [made, ...more] = await openSubmissionKeys(configuration, {}, "serve");
    expect([made.id, made.secret.byteLength, more]).toEqual(["made-on-first-start", 32, []]);
    expect(readFileSync(file, "utf8")).toBe(Buffer.from(made.secret).toString("base64"));
    expect(await openSubmissionKeys(configuration, {}, "beside")).toEqual([made]);
    expect(await openSubmissionKeys(configuration, {}, "serve")).toEqual([made]);
    writeFileSync(file, ` ${secret.toString("base64")}\n`);
    expect(await openSubmissionKeys(configuration, {}, "serve")).toEqual([{ ...made, secret }]);
    writeFileSync(file, "short");
    await expect(openSubmissionKeys(configuration, {}, "serve")).rejects.toMatchObject({
      faults: [
        `${file} must contain a key of 32 bytes in base64; without the key, stored data cannot be decrypted`,
      ],
    });
  });

  it("the store's place and the store's retention times follow DATABASE_URL and the configuration", () => {
    const configuration = configurationWith({
      answerKeptHours: 5,
      keyRetentionDays: 3,
      sameContentHours: 2,
    });
    expect(retentionOf(configuration)).toEqual({
      answerMs: 18_000_000,
      digestsMs: 259_200_000,
      sameContentMs: 7_200_000,
    });
    const data = join(folder, "data");
    expect(storePlace(configuration, {})).toEqual({ data, databaseUrl: undefined });
    expect(storePlace(configuration, { DATABASE_URL: "postgres://x" })).toEqual({
      data,
      databaseUrl: "postgres://x",
    });
  });
});
