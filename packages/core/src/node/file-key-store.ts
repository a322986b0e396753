import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { isSameKey, type KeyStore, type StoredKey } from "../client/key-store.ts";

/**
 * Creates a store in one JSON file, which only its owner can read. Each change is on disk before it resolves. Only one process
 * may use the file; several processes need a database.
 * @param path - the file; its folder must exist
 */
export function fileKeyStore(path: string): KeyStore {
  // Changes run one after the other: each replaces the whole file.
  let last: Promise<unknown> = Promise.resolve();
  const change = (changed: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> => {
    const done = last.then(async () => write(path, changed(await read(path))));
    last = done.catch(() => undefined);
    return done;
  };
  return {
    add: (stored) =>
      change((keys) => (keys.some((known) => isSameKey(known, stored)) ? keys : [...keys, stored])),
    remove: (stored) => change((keys) => keys.filter((known) => !isSameKey(known, stored))),
    list: () => last.then(() => read(path)),
  };
}

async function read(path: string): Promise<readonly StoredKey[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "[]";
    throw error;
  });
  const keys = parsed(text);
  if (!Array.isArray(keys) || !keys.every(isStoredKey))
    throw new TypeError(`${path} is not a file of a key store, or is damaged`);
  return keys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isStoredKey(value: unknown): value is StoredKey {
  if (typeof value !== "object" || value === null) return false;
  const { endpoint, key, provider }: Partial<Record<keyof StoredKey, unknown>> = value;
  return [endpoint, key, provider].every((text) => typeof text === "string");
}

/** Replaces the file completely or not at all. */
async function write(path: string, keys: readonly StoredKey[]): Promise<void> {
  await flush(`${path}.new`, "w", `${JSON.stringify(keys, null, 2)}\n`);
  await rename(`${path}.new`, path);
  // A power failure could undo the renaming. Windows cannot open a folder.
  if (process.platform !== "win32") await flush(dirname(path), "r", "");
}

async function flush(path: string, flags: "r" | "w", text: string): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== "") await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
