import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import { type StorePlace, storePlace } from "../configuration/submission-store.ts";
import { type CopyOptions, copyStore, markRestored, type TableDigest } from "../store/copy.ts";
import {
  type ExclusiveStore,
  makeStore,
  openBackup,
  openExclusive,
} from "../store/exclusive-store.ts";
import { StoreRefusedError } from "../store/faults.ts";

/** The result of a copy or a restore. */
export interface CopiedStore {
  /** The name of the source store, without a password. */
  readonly from: string;
  /** The name of the target store, without a password. */
  readonly to: string;
  /** The number of rows and the digest of each table. Both are the same in the source and the target. */
  readonly digests: readonly TableDigest[];
}

/**
 * The result of a copy. `key` names the file of the encryption key and the folder that needs a copy of the file; null
 * if the file needs no copy.
 */
export interface CopiedToPlace extends CopiedStore {
  readonly key: { readonly file: string; readonly folder: string } | null;
}

/** Called with the number of copied rows. */
export type CopyProgress = CopyOptions["progress"];

/**
 * Creates the configured store.
 * @returns the store's name, without a password
 */
export async function createConfiguredStore(): Promise<string> {
  return makeStore(configuredPlace());
}

/** Copies the configured store into an empty place: a data folder, or a PostgreSQL address. */
export async function copyConfiguredStore(
  to: string,
  progress: CopyProgress,
): Promise<CopiedToPlace> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const from = await openExclusive(storePlace(configuration, process.env), "existing");
  const copied = await copy(from, parseStorePlace(to), (target) => ({
    as: ({ mark, place }) => (mark === "restored" ? { mark, place } : { mark: "usual", place: "" }),
    leave: { mark: "copied", place: target },
    progress,
  }));
  return { ...copied, key: keyOf(configuration, to) };
}

function keyOf({ data, submissions }: Configuration, to: string): CopiedToPlace["key"] {
  return submissions.keys.length > 0 || isPostgresAddress(to)
    ? null
    : { file: join(data, "submissions.key"), folder: resolve(to) };
}

/** Restores a backup into the configured place. The backup is a SQLite file, a data folder or a PostgreSQL address. */
export async function restoreConfiguredStore(
  from: string,
  progress: CopyProgress,
): Promise<CopiedStore> {
  const backup = isPostgresAddress(from)
    ? await openExclusive(parseStorePlace(from), "existing")
    : await openBackup(fileNamed(from));
  return copy(backup, configuredPlace(), () => ({
    as: () => ({ mark: "restored", place: backup.name }),
    leave: null,
    progress,
  }));
}

/**
 * Marks the configured store as a store that may lack submissions.
 * @returns the store's name, without a password
 */
export async function markConfiguredStoreRestored(): Promise<string> {
  const store = await openExclusive(configuredPlace(), "existing");
  try {
    await markRestored(store);
    return store.name;
  } finally {
    await store.close();
  }
}

/** Copies the content of one store to another store, and closes both stores. */
async function copy(
  from: ExclusiveStore,
  to: StorePlace,
  options: (target: string) => CopyOptions,
): Promise<CopiedStore> {
  try {
    const target = await openExclusive(to, "new");
    try {
      const digests = await copyStore(from, target, options(target.name));
      return { from: from.name, to: target.name, digests };
    } finally {
      await target.close();
    }
  } finally {
    await from.close();
  }
}

function configuredPlace(): StorePlace {
  return storePlace(loadConfiguration(process.env, process.cwd()), process.env);
}

function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}

function parseStorePlace(text: string): StorePlace {
  if (/^[a-z]+:\/\//i.test(text) && !isPostgresAddress(text))
    throw new StoreRefusedError(
      "The place must be a folder, or an address that begins with postgres://.",
    );
  return isPostgresAddress(text)
    ? { data: "", databaseUrl: text }
    : { data: resolve(text), databaseUrl: undefined };
}

function fileNamed(text: string): string {
  const path = resolve(text);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  return isFolder ? join(path, "submissions.sqlite") : path;
}
