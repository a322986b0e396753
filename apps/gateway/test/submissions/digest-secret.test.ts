import { afterEach, beforeEach, expect, it } from "vitest";
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
import { openMemoryStore } from "../harness/direct-store.ts";
import { keyNamed } from "../harness/key-named.ts";
import { ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";

const one = createEncryption([keyNamed("one")]);
const next = createEncryption([keyNamed("next"), keyNamed("one")]);

let store: SubmissionStore;
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(() => store.close());

/** Returns the secret of a store's digests. Reads or creates the secret as a gateway does when it starts. */
async function secretFor(encryption: Encryption, opened = store): Promise<Buffer> {
  return Buffer.from(await openStoreSecret(opened, encryption, "the test"));
}

it("the secret of a store's digests has 32 bytes, never changes, and is encrypted again if a newer key is configured", async () => {
  const made = await secretFor(one);
  expect(made.byteLength).toBe(32);
  const before = await store.secret("digests");
  expect(before?.keyId).toBe("one");
  expect(await secretFor(one)).toEqual(made);
  expect(await store.secret("digests"), "not encrypted again").toEqual(before);
  expect(await secretFor(next)).toEqual(made);
  expect((await store.secret("digests"))?.keyId).toBe("next");
  const onlyNext = createEncryption([keyNamed("next")]);
  expect(await secretFor(onlyNext)).toEqual(made);
});

it("two processes that create the secret of a store at the same time both use the secret that was stored first", async () => {
  const slow: SubmissionStore = {
    ...store,
    async putSecret(...parameters) {
      await secretFor(one);
      await store.putSecret(...parameters);
    },
  };
  expect(await secretFor(one, slow)).toEqual(await secretFor(one));
});

it("a gateway whose store is full starts with the old encryption key, and does not start with a new encryption key", async () => {
  const made = await secretFor(one);
  const full: SubmissionStore = {
    ...store,
    putSecret: () => Promise.reject(new StoreUnavailableError("SQLITE_FULL", false)),
  };
  expect(await secretFor(one, full)).toEqual(made);
  await expect(secretFor(next, full)).rejects.toThrow(StoreUnavailableError);
});

it("each store has a different secret for its digests", async () => {
  const another = await openMemoryStore();
  expect(await secretFor(one, another)).not.toEqual(await secretFor(one));
  await another.close();
});

const missing = (...keyIds: readonly string[]): ConfigurationError =>
  new ConfigurationError(
    "the test",
    keyIds.map(
      (keyId) =>
        `submissions.keys: the key "${keyId}" must stay, after the new key: the store still has data that it encrypted`,
    ),
  );

it("the gateway does not start if an encryption key of the stored data is missing, and names each missing key once", async () => {
  await secretFor(one);
  const elsewhere = createEncryption([keyNamed("elsewhere")]);
  await expect(secretFor(elsewhere)).rejects.toThrow(missing("one"));
  await expect(checkStoreSecret(store, elsewhere, "the test")).rejects.toThrow(missing("one"));
  await store.claim(sampleSubmission({ keyId: "one" }), ONCE);
  const submission = sampleSubmission({ keyId: "old" });
  await store.claim(submission, ONCE);
  await expect(secretFor(elsewhere)).rejects.toThrow(missing("one", "old"));
  await expect(secretFor(one)).rejects.toThrow(missing("old"));
  await expect(secretFor(next)).rejects.toThrow(missing("old"));
  expect((await store.secret("digests"))?.keyId, "nothing is changed").toBe("one");
  await store.settle(sampleSettlement(submission.id, { keyId: "one" }));
  await secretFor(one);
});

it("the gateway refuses a configured encryption key that has the same id as the store's key but another secret", async () => {
  await secretFor(one);
  const wrong = createEncryption([{ ...keyNamed("x"), id: "one" }]);
  const refused = new ConfigurationError("the test", [
    'submissions.keys: the key "one" must have the secret that the store was encrypted with; add a new secret under another id',
  ]);
  await expect(secretFor(wrong)).rejects.toThrow(refused);
  await expect(checkStoreSecret(store, wrong, "the test")).rejects.toThrow(refused);
  await checkStoreSecret(store, one, "the test");
});

it("a command accepts a store that has no secret yet, and does not change the store", async () => {
  await checkStoreSecret(store, one, "the test");
  expect(readDigestSecret(undefined, one, "the test")).toBeNull();
  expect(readDigestSecret(null, one, "the test")).toBeNull();
  expect(await store.secret("digests")).toBeNull();
});
