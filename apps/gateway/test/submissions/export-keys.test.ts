import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openAlone } from "../../src/store/alone.ts";
import { openStore } from "../../src/store/open-store.ts";
import { transactionsOf } from "../../src/store/transactions.ts";
import { createEncryption, openStoreSecret } from "../../src/submissions/encryption.ts";
import { exportStore, importStore } from "../../src/submissions/export-import.ts";
import { makeStoreFolder } from "../harness/store-places.ts";
import { keep, NEVER, sampleSubmission } from "../harness/store-samples.ts";

it("an export and an import need every key that something was encrypted with, not only the file's own", async () => {
  const folder = makeStoreFolder();
  onTestFinished(() => folder.remove());
  const current = { id: "current", secret: randomBytes(32) };
  const both = createEncryption([current, { id: "old", secret: randomBytes(32) }]);
  const place = { data: join(folder.file, ".."), databaseUrl: undefined };
  const store = await openStore(place, "serve");
  await openStoreSecret(store, both, "the test");
  await keep(store, "outcome_unknown", sampleSubmission({ keyId: "old" }));
  await store.close();

  const path = join(place.data, "export");
  const parts = { path, source: "the test", progress: () => {}, note: () => {} };
  const alone = await openAlone(place, "export");
  const unreadable = exportStore({
    ...parts,
    store: alone,
    encryption: createEncryption([current]),
  });
  await expect(unreadable).rejects.toThrow(/the store has what the key "old" encrypted/);
  expect(existsSync(path)).toBe(false);
  expect(await exportStore({ ...parts, store: alone, encryption: both })).toMatchObject({
    submissions: 1,
  });
  await alone.close();
  const elsewhere = { ...place, data: join(place.data, "elsewhere") };
  const importWith = (encryption: typeof both): ReturnType<typeof importStore> =>
    importStore({ ...parts, encryption }, () => openAlone(elsewhere, "import"));
  await expect(importWith(createEncryption([current]))).rejects.toThrow(
    /the store has what the key "old" encrypted/,
  );
  expect(await importWith(both)).toMatchObject({ submissions: 1 });
});

/** A store of one submission, and its key. */
async function keepOne(): Promise<{
  readonly place: Parameters<typeof openAlone>[0];
  readonly key: { readonly id: string; readonly secret: Uint8Array };
}> {
  const folder = makeStoreFolder();
  onTestFinished(() => folder.remove());
  const key = { id: "current", secret: randomBytes(32) };
  const place = { data: join(folder.file, ".."), databaseUrl: undefined };
  const store = await openStore(place, "serve");
  await openStoreSecret(store, createEncryption([key]), "the test");
  await keep(store, "outcome_unknown", sampleSubmission({ keyId: key.id }));
  await store.close();
  return { place, key };
}

it("an export that was interrupted is begun again when another key encrypts now", async () => {
  const { key, place } = await keepOne();
  const notes: string[] = [];
  const path = join(place.data, "export");
  const store = await openAlone(place, "export");
  const common = { store, path, source: "the test", note: (text: string) => notes.push(text) };
  const interrupted = exportStore({
    ...common,
    encryption: createEncryption([key]),
    progress: () => {
      throw new Error("interrupted");
    },
  });
  await expect(interrupted).rejects.toThrow("interrupted");
  const encryption = createEncryption([{ id: "next", secret: randomBytes(32) }, key]);
  const parts = { ...common, encryption, progress: () => {} };
  expect(await exportStore(parts)).toMatchObject({ submissions: 1 });
  await store.close();
  expect(notes.join()).toContain("a new export begins");
  const elsewhere = { ...place, data: join(place.data, "elsewhere") };
  const imported = importStore(parts, () => openAlone(elsewhere, "import"));
  expect(await imported).toMatchObject({ submissions: 1 });
});

it("an export of a store that changes meanwhile has no file", async () => {
  const { key, place } = await keepOne();
  const store = await openAlone(place, "export");
  onTestFinished(() => store.close());
  const path = join(place.data, "export");
  let changed: Promise<unknown> | undefined;
  const exported = exportStore({
    store,
    path,
    encryption: createEncryption([key]),
    source: "the test",
    note: () => {},
    progress() {
      const another = sampleSubmission({ keyId: key.id });
      changed ??= store.run(transactionsOf(store.dialect).claim(another, NEVER));
    },
  });
  await expect(exported).rejects.toThrow("A command changed the store during the export");
  expect(await changed).toEqual({ claimed: true });
  expect(existsSync(path)).toBe(false);
});
