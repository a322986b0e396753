import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { createApplication } from "@insurance-gateway/provider-d";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import {
  checkStoreSecret,
  createEncryption,
  type Encryption,
  openStoreSecret,
  readDigestSecret,
} from "../../src/store/encryption.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { settlementOf } from "../../src/submissions/ending.ts";
import {
  decryptMatchFields,
  encryptMatchFields,
  matchFieldsOf,
} from "../../src/submissions/match.ts";
import { decryptAnswer, encryptAnswer } from "../../src/submissions/stored-answer.ts";
import { applicationBody } from "../harness/applications.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import { keyNamed } from "../harness/key-named.ts";
import { ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";

const one = createEncryption([keyNamed("one")]);
const next = createEncryption([keyNamed("next"), keyNamed("one")]);
const [id, otherId] = [sampleSubmission().id, sampleSubmission().id];

const answer = {
  status: 201,
  headers: { "content-type": "application/json" },
  content: '{\n  "name": "Παπαδοπούλου"\n}\n',
  problem: { code: "X", outcome: "executed" },
};
const fields = { query: { clientAfm: "123456789" }, same: { "/holder/afm": "123456789" } };

/** The texts that are encrypted for a submission, and their decryption. */
const kinds: Readonly<
  Record<
    string,
    {
      readonly value: unknown;
      readonly encrypt: (by: Encryption, of: string) => Uint8Array;
      readonly decrypt: (by: Encryption, of: string, bytes: Uint8Array, keyId: string) => unknown;
    }
  >
> = {
  "an answer": {
    value: answer,
    encrypt: (by, of) => encryptAnswer(by, of, answer),
    decrypt: (by, of, bytes, keyId) => decryptAnswer(by, of, bytes, keyId),
  },
  "match fields": {
    value: fields,
    encrypt: (by, of) => encryptMatchFields(by, of, fields),
    decrypt: (by, of, bytes, keyId) => decryptMatchFields(by, of, bytes, keyId),
  },
};

describe.each(Object.entries(kinds))("%s", (kind, { decrypt, encrypt, value }) => {
  it("is the same again, and looks different each time", () => {
    const encrypted = encrypt(one, id);
    expect(decrypt(one, id, encrypted, "one")).toEqual(value);
    expect(Buffer.from(encrypt(one, id))).not.toEqual(Buffer.from(encrypted));
    expect(Buffer.from(encrypted).subarray(0, 12)).not.toEqual(
      Buffer.from(encrypt(one, id)).subarray(0, 12),
    );
  });

  it("is decrypted with the key that encrypted it, also after a newer one", () => {
    expect(decrypt(next, id, encrypt(one, id), "one")).toEqual(value);
    expect(decrypt(next, id, encrypt(next, id), "next")).toEqual(value);
    expect(() => decrypt(one, id, encrypt(next, id), "one")).toThrow();
    expect(() => decrypt(next, id, encrypt(one, id), "next")).toThrow();
    expect(() => decrypt(one, id, encrypt(next, id), "next")).toThrow(
      "There is no key next in submissions.keys",
    );
  });

  it("cannot be moved to another submission, or to another column", () => {
    expect(() => decrypt(one, otherId, encrypt(one, id), "one")).toThrow();
    for (const [other, { decrypt: decryptOther }] of Object.entries(kinds))
      if (other !== kind) expect(() => decryptOther(one, id, encrypt(one, id), "one")).toThrow();
  });

  it("cannot be changed in any byte, nor cut off", () => {
    const encrypted = encrypt(one, id);
    for (let at = 0; at < encrypted.length; at++) {
      const changed = Uint8Array.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => decrypt(one, id, changed, "one")).toThrow();
    }
    for (const length of [0, 11, 12, 27, 28, encrypted.length - 1])
      expect(() => decrypt(one, id, encrypted.slice(0, length), "one")).toThrow();
  });
});

describe("an encryption", () => {
  it("uses no nonce twice: two texts with the same one could both be read", () => {
    const encrypted = Array.from({ length: 1_000 }, () => one.encrypt(Buffer.from("x"), "here"));
    const nonces = encrypted.map((bytes) => Buffer.from(bytes).toString("hex", 0, 12));
    expect(new Set(nonces).size).toBe(1_000);
    // No two begin with the same four bytes more often than by chance: each nonce is random as a whole.
    expect(new Set(nonces.map((nonce) => nonce.slice(0, 8))).size).toBeGreaterThan(990);
    expect(new Set(nonces.map((nonce) => nonce.slice(-8))).size).toBeGreaterThan(990);
  });

  it("encrypts with its first key, and knows each of them", () => {
    expect(next.keyId).toBe("next");
    expect(["next", "one", "unknown"].map((keyId) => next.knows(keyId))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

it("a text of an earlier gateway is decrypted: 12 bytes of nonce, 16 of tag, then the text", () => {
  const stored =
    "000102030405060708090a0b6204418aaa2326987b11f24e9ad21f76a84f2edbab26fdc6f8f951e6a0b988";
  const text = one.decrypt(Buffer.from(stored, "hex"), "one", "here");
  expect(Buffer.from(text).toString()).toBe("what was stored");
});

describe("what is encrypted of nothing", () => {
  it("needs its whole tag", () => {
    const encrypted = one.encrypt(new Uint8Array(), "here");
    expect(one.decrypt(encrypted, "one", "here")).toHaveLength(0);
    for (const length of [16, 20, 24, 25, 26, 27])
      expect(() => one.decrypt(encrypted.slice(0, length), "one", "here")).toThrow();
  });
});

describe("match fields", () => {
  const endpoint: Endpoint = createApplication;
  const body = applicationBody("123456789", "ΙΚΥ-1234");

  it("the match fields of the declared query are stored in normal form", () => {
    const found = matchFieldsOf(endpoint, { params: {}, query: {}, body });
    expect(found.query).toEqual({ clientAfm: "123456789" });
    expect(found.same).toMatchObject({
      "/holder/afm": "123456789",
      "/vehicle/plateNumber": "IKY1234",
    });
    expect(Object.keys(found.same).toSorted()).toEqual([
      "/holder/afm",
      "/policy/endDate",
      "/policy/startDate",
      "/vehicle/plateNumber",
    ]);
  });

  const { reconcile: _, ...declared } = endpoint;
  const { same: __, ...withoutQuery } = declared;
  const params = { policyId: "P-1" };
  const query = { channel: "web" };

  it("name the subject, for the operator, where no query finds the submission", () => {
    const found = matchFieldsOf(declared, { params, query, body });
    expect(found).toEqual({
      same: matchFieldsOf(endpoint, { params: {}, query: {}, body }).same,
      sent: { params, query },
    });
  });

  it("are the whole body where nothing says which of its fields name the subject", () => {
    const found = matchFieldsOf(withoutQuery, { params, query, body });
    expect(found).toEqual({ same: {}, sent: { params, query, body } });
  });

  it.each<[string, Partial<Parameters<typeof matchFieldsOf>[1]>]>([
    ["that is too large", { body: "x".repeat(16_383) }],
    ["that may have files", { mediaType: "multipart/form-data" }],
  ])("have no body %s", (_, more) => {
    const found = matchFieldsOf(withoutQuery, { params, query, body, ...more });
    expect(found.sent).toEqual({ params, query });
  });
});

describe("a settlement", () => {
  it("has the answer for this submission, and when it is dropped and forgotten", () => {
    const retention = { answerMs: 10, digestsMs: 200, sameContentMs: 3_000 };
    const named = { insurerId: "D-1", unique: "provider" } as const;
    const ending = { state: "succeeded", ...named, closed: true, answer } as const;
    const { answer: bytes, ...rest } = settlementOf(
      { encryption: next, retention },
      id,
      { at: 5, running: 7 },
      ending,
    );
    expect(rest).toEqual({
      id,
      at: 5,
      running: 7,
      state: "succeeded",
      ...named,
      rivals: null,
      recheck: null,
      closed: true,
      keyId: "next",
      answerUntil: 15,
      forgetAt: 207,
    });
    expect(decryptAnswer(next, id, bytes, "next")).toEqual(answer);
  });
});

describe("the secret of a store's digests", () => {
  let folder: string;
  let store: SubmissionStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "secret-"));
    store = await openDirectStore({ data: folder, databaseUrl: undefined });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it("is made once, of 32 bytes, and is the same with a newer key, which then encrypts it", async () => {
    const made = Buffer.from(await openStoreSecret(store, one, "the test"));
    expect(made.byteLength).toBe(32);
    const before = await store.secret("digests");
    expect(before?.keyId).toBe("one");
    expect(Buffer.from(await openStoreSecret(store, one, "the test"))).toEqual(made);
    expect(await store.secret("digests"), "not encrypted again").toEqual(before);
    expect(Buffer.from(await openStoreSecret(store, next, "the test"))).toEqual(made);
    expect((await store.secret("digests"))?.keyId).toBe("next");
    const onlyNext = createEncryption([keyNamed("next")]);
    expect(Buffer.from(await openStoreSecret(store, onlyNext, "the test"))).toEqual(made);
  });

  it("is that of the process whose write came first, however long one's own takes", async () => {
    const slow = {
      ...store,
      async putSecret(...parameters: Parameters<typeof store.putSecret>): Promise<void> {
        await new Promise((resolve) => void setImmediate(resolve));
        await openStoreSecret(store, one, "another process");
        await store.putSecret(...parameters);
      },
    };
    const own = Buffer.from(await openStoreSecret(slow, one, "the test"));
    expect(own).toEqual(Buffer.from(await openStoreSecret(store, one, "the test")));
  });

  it("is encrypted with the newer key before it is used, or is not used", async () => {
    const made = Buffer.from(await openStoreSecret(store, one, "the test"));
    const slow = {
      ...store,
      async putSecret(...parameters: Parameters<typeof store.putSecret>): Promise<void> {
        await new Promise((resolve) => void setImmediate(resolve));
        await store.putSecret(...parameters);
      },
    };
    const full = {
      ...store,
      putSecret: async (): Promise<never> => {
        throw new StoreUnavailableError("SQLITE_FULL", false);
      },
    };
    await expect(openStoreSecret(full, next, "the test")).rejects.toThrow(StoreUnavailableError);
    expect(Buffer.from(await openStoreSecret(slow, next, "the test"))).toEqual(made);
    expect((await store.secret("digests"))?.keyId).toBe("next");
  });

  it("an existing secret of a store is read, also while writing fails", async () => {
    const made = Buffer.from(await openStoreSecret(store, one, "the test"));
    const full = {
      ...store,
      putSecret: async (): Promise<never> => expect.unreachable("nothing is written"),
    };
    expect(Buffer.from(await openStoreSecret(full, one, "the test"))).toEqual(made);
  });

  it("is another one in each store", async () => {
    const other = mkdtempSync(join(tmpdir(), "secret-"));
    const another = await openDirectStore({ data: other, databaseUrl: undefined });
    const made = Buffer.from(await openStoreSecret(store, one, "the test"));
    expect(Buffer.from(await openStoreSecret(another, one, "the test"))).not.toEqual(made);
    await another.close();
    rmSync(other, { recursive: true });
  });

  const missing = (...keyIds: readonly string[]): ConfigurationError =>
    new ConfigurationError(
      "the test",
      keyIds.map(
        (keyId) =>
          `submissions.keys: the store has what the key "${keyId}" encrypted; keep that key, after the new one, until it is dropped`,
      ),
    );

  it("needs every key that something is encrypted with, each named once", async () => {
    await openStoreSecret(store, one, "the test");
    const elsewhere = createEncryption([keyNamed("elsewhere")]);
    await expect(openStoreSecret(store, elsewhere, "the test")).rejects.toThrow(missing("one"));
    await expect(checkStoreSecret(store, elsewhere, "the test")).rejects.toThrow(missing("one"));
    await store.claim(sampleSubmission({ keyId: "one" }), ONCE);
    const submission = sampleSubmission({ keyId: "old" });
    await store.claim(submission, ONCE);
    await expect(openStoreSecret(store, elsewhere, "the test")).rejects.toThrow(
      missing("one", "old"),
    );
    await expect(openStoreSecret(store, one, "the test")).rejects.toThrow(missing("old"));
    await expect(openStoreSecret(store, next, "the test")).rejects.toThrow(missing("old"));
    expect((await store.secret("digests"))?.keyId, "nothing is changed").toBe("one");
    await store.settle(sampleSettlement(submission.id, { keyId: "one" }));
    await openStoreSecret(store, one, "the test");
  });

  it("is not decrypted with another secret of the same key id", async () => {
    await openStoreSecret(store, one, "the test");
    const wrong = createEncryption([{ ...keyNamed("x"), id: "one" }]);
    const refused = new ConfigurationError("the test", [
      'submissions.keys: the key "one" is not the one that the store was encrypted with; configure its earlier secret again, and add a new secret under another id',
    ]);
    await expect(openStoreSecret(store, wrong, "the test")).rejects.toThrow(refused);
    await expect(checkStoreSecret(store, wrong, "the test")).rejects.toThrow(refused);
    await checkStoreSecret(store, one, "the test");
  });

  it("may not be there yet for a command", async () => {
    await checkStoreSecret(store, one, "the test");
    expect(readDigestSecret(undefined, one, "the test")).toBeNull();
    expect(readDigestSecret(null, one, "the test")).toBeNull();
    expect(await store.secret("digests")).toBeNull();
  });
});
