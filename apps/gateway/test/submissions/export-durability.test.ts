import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openAlone } from "../../src/store/alone.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createEncryption, openStoreSecret } from "../../src/submissions/encryption.ts";
import { exportStore } from "../../src/submissions/export-import.ts";
import { makeStoreFolder } from "../harness/store-places.ts";

/** Notes what is put on the disk for good (fsync), and how many writes are under way then, of files of `node:fs/promises`. */
async function watchSyncs(noted: (what: string) => void): Promise<void> {
  const any = await open(import.meta.filename);
  const handles: FileHandle = Object.getPrototypeOf(any);
  await any.close();
  const own = { sync: Reflect.get(handles, "sync"), write: Reflect.get(handles, "write") };
  let writing = 0;
  vi.spyOn(handles, "sync").mockImplementation(async function (this: FileHandle) {
    const underWay = writing;
    noted(`${underWay} writes, ${(await this.stat()).isDirectory() ? "folder" : "file"}`);
    await Reflect.apply(own.sync, this, []);
  });
  vi.spyOn(handles, "write").mockImplementation(async function (
    this: FileHandle,
    ...parameters: unknown[]
  ) {
    writing += 1;
    const written = await Reflect.apply(own.write, this, parameters);
    writing -= 1;
    return written;
  });
  onTestFinished(() => void vi.restoreAllMocks());
}

it("an export has its name only when its content is on disk, and ends only when its name is, too", async () => {
  const folder = makeStoreFolder();
  onTestFinished(() => folder.remove());
  const encryption = createEncryption([{ id: "current", secret: randomBytes(32) }]);
  const place = { data: join(folder.file, ".."), databaseUrl: undefined };
  const store = await openStore(place, "serve");
  await openStoreSecret(store, encryption, "the test");
  await store.close();
  const alone = await openAlone(place, "export");
  onTestFinished(() => alone.close());
  const path = join(place.data, "export");
  const steps: string[] = [];
  await watchSyncs((what) => steps.push(`${what}, ${existsSync(path) ? "named" : "not named"}`));
  const parts = { path, source: "the test", progress: () => {}, note: () => {} };
  await exportStore({ ...parts, store: alone, encryption });
  expect(steps).toEqual(["0 writes, file, not named", "0 writes, folder, named"]);
});
