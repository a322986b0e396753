import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { storedAccounts } from "../../src/accounts/stored-accounts.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { makeStoreFolder } from "../harness/store-places.ts";
import { ONE } from "./brokers.ts";

const COUNT = 250;

it("of the accounts in the store, only those that have changed are read again", async () => {
  const folder = makeStoreFolder();
  const store = await openSqliteStore({ file: folder.file, mode: "serve" });
  const encryption = createEncryption([{ id: "one", secret: randomBytes(32) }]);
  const secret = { keyId: encryption.keyId, encrypted: new Uint8Array(8) };
  const ends = { certificateEndsAt: null, credentialsEndAt: null };
  const added = Array.from({ length: COUNT }, (_, index) => ({
    ...secret,
    ...ends,
    id: `account-${index}`,
    segment: "provider-d",
    issuer: ONE,
    tenant: `tenant-${index}`,
    requestsPerDay: null,
    submissionsPerDay: null,
  }));
  await Promise.all(added.map((account) => store.addAccount(account, { at: 0, by: "M" })));

  let read = 0;
  const counted: SubmissionStore = {
    ...store,
    async accountsSince(revision, limit) {
      const rows = await store.accountsSince(revision, limit);
      read += rows.length;
      return rows;
    },
  };
  const accounts = storedAccounts({
    installed: () => [],
    encryption,
    readSecret: () => "",
    changed: () => {},
  });
  await accounts.opened(counted);
  expect(read).toBe(COUNT);
  expect(accounts.find(ONE, "tenant-249")).toEqual([{ id: "account-249", segment: "provider-d" }]);

  await accounts.refresh();
  expect(read).toBe(COUNT);

  await store.rotateAccount("account-7", { ...secret, ...ends, quotas: null }, { at: 1, by: "M" });
  await store.removeAccount("account-8", { at: 1, by: "M" });
  await accounts.refresh();
  expect(read).toBe(COUNT + 2);
  expect(accounts.find(ONE, "tenant-8")).toEqual([]);

  await store.close();
  folder.remove();
});
