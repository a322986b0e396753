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
  /** The names of both places, without a password. */
  readonly from: string;
  readonly to: string;
  /** The rows and the digest of each table, equal in both. */
  readonly digests: readonly TableDigest[];
}

/** A copy, and the key that decrypts it and is not in it: the first start made it in the data folder. */
export interface CopiedToPlace extends CopiedStore {
  readonly key: { readonly file: string; readonly folder: string } | null;
}

/** Gets the number of copied rows. */
export type CopyProgress = CopyOptions["progress"];

/**
 * Makes the configured store.
 * @returns its name, without a password
 */
export async function createConfiguredStore(): Promise<string> {
  return makeStore(configuredPlace());
}

/** Copies the configured store into an empty place: a data folder, or an address of PostgreSQL. */
export async function copyConfiguredStore(
  to: string,
  progress: CopyProgress,
): Promise<CopiedToPlace> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const from = await openExclusive(storePlace(configuration, process.env), "existing");
  const copied = await copy(from, placeNamed(to), (target) => ({
    as: ({ mark, place }) => (mark === "restored" ? { mark, place } : { mark: "usual", place: "" }),
    leave: { mark: "copied", place: target },
    progress,
  }));
  return { ...copied, key: keyOf(configuration, to) };
}

function keyOf({ data, submissions }: Configuration, to: string): CopiedToPlace["key"] {
  return submissions.keys.length > 0 || isAddress(to)
    ? null
    : { file: join(data, "submissions.key"), folder: resolve(to) };
}

/** Restores a backup, a SQLite file, a data folder or an address of PostgreSQL, into the configured place. */
export async function restoreConfiguredStore(
  from: string,
  progress: CopyProgress,
): Promise<CopiedStore> {
  const backup = isAddress(from)
    ? await openExclusive(placeNamed(from), "existing")
    : await openBackup(fileNamed(from));
  return copy(backup, configuredPlace(), () => ({
    as: () => ({ mark: "restored", place: backup.name }),
    leave: null,
    progress,
  }));
}

/**
 * Marks the configured store as one that may lack submissions.
 * @returns its name, without a password
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

/** Copies between two stores, and closes both. */
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

function isAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}

function placeNamed(text: string): StorePlace {
  if (/^[a-z]+:\/\//i.test(text) && !isAddress(text))
    throw new StoreRefusedError("A place is a folder, or an address that begins with postgres://.");
  return isAddress(text)
    ? { data: "", databaseUrl: text }
    : { data: resolve(text), databaseUrl: undefined };
}

function fileNamed(text: string): string {
  const path = resolve(text);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  return isFolder ? join(path, "submissions.sqlite") : path;
}
