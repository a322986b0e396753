import type { Endpoint } from "@insurance-gateway/core/contract";
import { createApplication } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";
import { createEncryption, type Encryption } from "../../src/store/encryption.ts";
import { buildSettlement } from "../../src/submissions/build-settlement.ts";
import {
  decryptMatchFields,
  encryptMatchFields,
  matchFieldsOf,
} from "../../src/submissions/match.ts";
import { decryptAnswer, encryptAnswer } from "../../src/submissions/stored-answer.ts";
import { applicationBody } from "../harness/applications.ts";
import { keyNamed } from "../harness/key-named.ts";
import { sampleSubmission } from "../harness/store-samples.ts";

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

/** Kinds of encrypted texts, each with a value, its encryption and its decryption. */
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

describe.each(Object.entries(kinds))("encryption of %s", (kind, { decrypt, encrypt, value }) => {
  it("decryption restores the value, and two encryptions of one value differ", () => {
    const encrypted = encrypt(one, id);
    expect(decrypt(one, id, encrypted, "one")).toEqual(value);
    expect(Buffer.from(encrypt(one, id))).not.toEqual(Buffer.from(encrypted));
    expect(Buffer.from(encrypted).subarray(0, 12)).not.toEqual(
      Buffer.from(encrypt(one, id)).subarray(0, 12),
    );
  });

  it("decryption of a stored value works with the key that encrypted the value, even if a newer key is configured", () => {
    expect(decrypt(next, id, encrypt(one, id), "one")).toEqual(value);
    expect(decrypt(next, id, encrypt(next, id), "next")).toEqual(value);
    expect(() => decrypt(one, id, encrypt(next, id), "one")).toThrow();
    expect(() => decrypt(next, id, encrypt(one, id), "next")).toThrow();
    expect(() => decrypt(one, id, encrypt(next, id), "next")).toThrow(
      "There is no key next in submissions.keys",
    );
  });

  it("decryption of a stored value fails with the id of another submission, and for another column", () => {
    expect(() => decrypt(one, otherId, encrypt(one, id), "one")).toThrow();
    for (const [other, { decrypt: decryptOther }] of Object.entries(kinds))
      if (other !== kind) expect(() => decryptOther(one, id, encrypt(one, id), "one")).toThrow();
  });

  it("decryption fails if a byte of the encrypted value was changed, or if the value's end is missing", () => {
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

describe("encryption keys and nonces", () => {
  it("each of 1,000 encryptions uses a different random nonce", () => {
    const encrypted = Array.from({ length: 1_000 }, () => one.encrypt(Buffer.from("x"), "here"));
    const nonces = encrypted.map((bytes) => Buffer.from(bytes).toString("hex", 0, 12));
    expect(new Set(nonces).size).toBe(1_000);
    // All bytes of a nonce are random, so two nonces have the same first or last four bytes only by chance.
    expect(new Set(nonces.map((nonce) => nonce.slice(0, 8))).size).toBeGreaterThan(990);
    expect(new Set(nonces.map((nonce) => nonce.slice(-8))).size).toBeGreaterThan(990);
  });

  it("the gateway encrypts with the first key of the configuration, and recognises the ids of all configured keys", () => {
    expect(next.keyId).toBe("next");
    expect(["next", "one", "unknown"].map((keyId) => next.knows(keyId))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

it("the gateway decrypts a stored text of the fixed format: a nonce of 12 bytes, a tag of 16 bytes, then the text", () => {
  const stored =
    "000102030405060708090a0b6204418aaa2326987b11f24e9ad21f76a84f2edbab26fdc6f8f951e6a0b988";
  const text = one.decrypt(Buffer.from(stored, "hex"), "one", "here");
  expect(Buffer.from(text).toString()).toBe("what was stored");
});

describe("an encrypted empty text", () => {
  it("decryption of an empty text fails if the tag is incomplete", () => {
    const encrypted = one.encrypt(new Uint8Array(), "here");
    expect(one.decrypt(encrypted, "one", "here")).toHaveLength(0);
    for (const length of [16, 20, 24, 25, 26, 27])
      expect(() => one.decrypt(encrypted.slice(0, length), "one", "here")).toThrow();
  });
});

describe("match fields", () => {
  const endpoint: Endpoint = createApplication;
  const body = applicationBody("123456789", "ΙΚΥ-1234");

  it("match fields contain the parameters of the query and the compared fields in normal form", () => {
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

  it("match fields of an endpoint without a query contain the sent parameters for the operator", () => {
    const found = matchFieldsOf(declared, { params, query, body });
    expect(found).toEqual({
      same: matchFieldsOf(endpoint, { params: {}, query: {}, body }).same,
      sent: { params, query },
    });
  });

  it("match fields contain the whole body if the endpoint declares neither a query nor fields to compare", () => {
    const found = matchFieldsOf(withoutQuery, { params, query, body });
    expect(found).toEqual({ same: {}, sent: { params, query, body } });
  });

  it.each<[string, Partial<Parameters<typeof matchFieldsOf>[1]>]>([
    ["a body of more than 16 kB", { body: "x".repeat(16_383) }],
    ["a multipart body", { mediaType: "multipart/form-data" }],
  ])("match fields do not contain a body that is too large or may have files: %s", (_, more) => {
    const found = matchFieldsOf(withoutQuery, { params, query, body, ...more });
    expect(found.sent).toEqual({ params, query });
  });
});

describe("the stored result of a submission", () => {
  it("the stored result of a submission contains the encrypted answer, and the times when the store deletes the answer and the record", () => {
    const retention = { answerMs: 10, digestsMs: 200, sameContentMs: 3_000 };
    const named = { insurerId: "D-1", unique: "provider" } as const;
    const conclusion = { state: "succeeded", ...named, closed: true, answer } as const;
    const { answer: bytes, ...rest } = buildSettlement(
      { encryption: next, retention },
      id,
      { at: 5, running: 7 },
      conclusion,
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
