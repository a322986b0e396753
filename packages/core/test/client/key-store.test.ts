import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryKeyStore } from "../../src/index.ts";
import { fileKeyStore } from "../../src/node/index.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

describe.each([
  ["memory", async () => memoryKeyStore()],
  ["files", async () => fileKeyStore(join(await temporaryFolder(), "keys"))],
])("a key store in %s", (_, create) => {
  it("a key store contains each key only once until the key is removed", async () => {
    const store = await create();
    const one = { key: "a", provider: "provider-m", endpoint: "POST /policies" };
    const other = { ...one, endpoint: "POST /claims" };
    expect(await store.list()).toEqual([]);
    await Promise.all([store.add(one), store.add(other), store.add(one)]);
    expect(await store.list()).toHaveLength(2);
    expect(await store.list()).toEqual(expect.arrayContaining([one, other]));
    await store.remove(one);
    await store.remove(one);
    expect(await store.list()).toEqual([other]);
  });
});

describe("a key store in files", () => {
  const keys = Array.from({ length: 20 }, (_, index) => ({
    key: `case-${index}`,
    provider: "provider-m",
    endpoint: "POST /policies",
  }));

  it("a key store in files loses no key if several stores use one folder at the same time", async () => {
    const path = await temporaryFolder();
    await Promise.all(keys.map((stored) => fileKeyStore(path).add(stored)));
    expect(await fileKeyStore(path).list()).toHaveLength(keys.length);
    await Promise.all(keys.slice(1).map((stored) => fileKeyStore(path).remove(stored)));
    expect(await fileKeyStore(path).list()).toEqual(keys.slice(0, 1));
  });

  it("only the owner can read the folder and the files of a key store on disk", async () => {
    const path = join(await temporaryFolder(), "keys");
    for (const stored of keys) await fileKeyStore(path).add(stored);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(path))
      expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
  });

  it.each(["", "[{", "{}"])("a key store names the path of a damaged file: %j", async (text) => {
    const path = join(await temporaryFolder(), "damaged.json");
    await writeFile(path, text);
    await expect(fileKeyStore(join(path, "..")).list()).rejects.toThrow(
      `${path} is not a file of a key store`,
    );
  });
});
