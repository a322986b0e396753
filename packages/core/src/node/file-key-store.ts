import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { KeyStore, StoredKey } from "../client/key-store.ts";

/**
 * Creates a key store in a folder. Each key is a separate JSON file that only its owner can read. The promise of a
 * change resolves when the change is on disk. Several stores and processes may use the folder at the same time.
 * @param folder - created if it does not exist
 */
export function fileKeyStore(folder: string): KeyStore {
  return {
    async add(stored) {
      const created = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (created !== undefined) await syncFolder(dirname(created));
      const path = join(folder, keyFileNameOf(stored));
      // The rename makes the file appear complete or not at all.
      const partial = `${path}.${randomUUID()}.new`;
      await writeSynced(partial, `${JSON.stringify(stored)}\n`);
      await rename(partial, path);
      await syncFolder(folder);
    },
    async remove(stored) {
      const removed = rm(join(folder, keyFileNameOf(stored))).then(() => syncFolder(folder));
      await removed.catch(ignoreMissingFile(undefined));
    },
    async list() {
      const names = await readdir(folder).catch(ignoreMissingFile([]));
      const keys: StoredKey[] = [];
      // Files are read one after the other, because a process may open only a limited number of files at once.
      for (const name of names.filter((one) => one.endsWith(KEY_FILE_SUFFIX)))
        keys.push(...(await readKeyFile(join(folder, name))));
      return keys;
    },
  };
}

const KEY_FILE_SUFFIX = ".json";

/** Returns the name of a key's file, which does not contain the key itself. */
function keyFileNameOf({ endpoint, key, provider, segment }: StoredKey): string {
  const ofSegment = segment === undefined ? [] : [segment];
  const parts = JSON.stringify([provider, endpoint, key, ...ofSegment]);
  return `${createHash("sha256").update(parts).digest("hex")}${KEY_FILE_SUFFIX}`;
}

/** Reads the key in a file. Returns an empty list if the key was removed. */
async function readKeyFile(path: string): Promise<readonly StoredKey[]> {
  const text = await readFile(path, "utf8").catch(ignoreMissingFile(null));
  if (text === null) return [];
  const stored = parseJson(text);
  if (!isStoredKey(stored))
    throw new TypeError(`${path} is not a file of a key store, or is damaged`);
  return [stored];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isStoredKey(value: unknown): value is StoredKey {
  if (typeof value !== "object" || value === null) return false;
  const { endpoint, key, provider, segment }: Partial<Record<keyof StoredKey, unknown>> = value;
  return [endpoint, key, provider, segment ?? ""].every((text) => typeof text === "string");
}

/** Returns an error handler that returns the value if a file is missing, and throws any other error. */
function ignoreMissingFile<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return value;
    throw error;
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs a folder. Otherwise a power failure could undo the renaming or removal of a file. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
