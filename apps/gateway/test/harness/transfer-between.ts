import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { openAlone, type Purpose, type StoreAlone } from "../../src/store/alone.ts";
import { openStore, type StorePlace } from "../../src/store/open-store.ts";
import {
  createEncryption,
  type Encryption,
  type EncryptionKey,
  openStoreSecret,
} from "../../src/submissions/encryption.ts";
import { exportStore, importStore, type Transferred } from "../../src/submissions/export-import.ts";
import { openTables, randomRows, type Tables } from "./store-tables.ts";

/** A key with a secret that follows from its id. */
export function keyNamed(id: string): EncryptionKey {
  return { id, secret: Buffer.alloc(32, id) };
}

/** The encryption that the tests' stores have unless they say otherwise. */
export const encryption: Encryption = createEncryption([keyNamed("current")]);

/** Has a gateway make the schema of a place and the secret of its digests. */
export async function serveOnce(place: StorePlace, by: Encryption = encryption): Promise<void> {
  const store = await openStore(place, "serve");
  await openStoreSecret(store, by, "the test");
  await store.close();
}

/** Puts so many rows of any values into a place. */
export async function fillPlace(
  place: StorePlace,
  { resolutions, seed, submissions }: Transferred & { readonly seed: number },
): Promise<void> {
  const tables = await openTables(place);
  const from = { seed, keyId: encryption.keyId };
  await tables.insert("gateway_submissions", randomRows("gateway_submissions", submissions, from));
  await tables.insert("gateway_resolutions", randomRows("gateway_resolutions", resolutions, from));
  await tables.close();
}

/** Reads everything that a place has. */
export async function tablesIn(place: StorePlace): Promise<Tables> {
  const tables = await openTables(place);
  try {
    return await tables.read();
  } finally {
    await tables.close();
  }
}

/** Changes a place behind the back of any store. */
export async function runIn(place: StorePlace, ...statements: readonly string[]): Promise<void> {
  const tables = await openTables(place);
  try {
    for (const sql of statements) await tables.run(sql);
  } finally {
    await tables.close();
  }
}

/** How an export or import went. */
export interface TransferRun {
  /** What it resolved to; null when it failed. */
  readonly done: Transferred | null;
  readonly error: unknown;
  readonly notes: readonly string[];
  /** The rows that were reported as done, each with the number of all. */
  readonly progress: readonly (readonly [rows: number, of: number])[];
  /** How many transactions the store ran. */
  readonly transactions: number;
}

/** What a test may change about an export or import. */
export interface TransferOptions {
  readonly encryption?: Encryption;
  /** Ends the command when this many pages are done, as if its process was killed there. */
  readonly interruptAfter?: number;
  /** Called after each page. */
  readonly afterPage?: () => Promise<void>;
}

/** Exports a place to a file, or imports a file into it. */
export async function transfer(
  purpose: Purpose,
  place: StorePlace,
  path: string,
  options: TransferOptions = {},
): Promise<TransferRun> {
  const notes: string[] = [];
  const progress: (readonly [number, number])[] = [];
  let transactions = 0;
  const open = async (): Promise<StoreAlone> => {
    const store = await openAlone(place, purpose);
    return {
      ...store,
      async run(transaction) {
        transactions += 1;
        const result = await store.run(transaction);
        return result;
      },
    };
  };
  const parts = {
    path,
    encryption: options.encryption ?? encryption,
    source: "the test",
    note: (text: string) => notes.push(text),
    progress(rows: number, of: number) {
      progress.push([rows, of]);
      if (progress.length === options.interruptAfter) throw new Error("interrupted");
    },
  };
  const work = async (): Promise<Transferred> => {
    if (purpose === "import") return importStore(parts, open);
    const store = await open();
    try {
      return await exportStore({ ...parts, store });
    } finally {
      await store.close();
    }
  };
  const [done, error] = await work().then(
    (transferred) => [transferred, null] as const,
    (failure: unknown) => [null, failure] as const,
  );
  return { done, error, notes, progress, transactions };
}

/** The files below a folder that this process has open; the system's list of them is only on Linux. */
export function openFilesBelow(folder: string): readonly string[] {
  const list = "/proc/self/fd";
  return readdirSync(list)
    .map((name) => {
      try {
        return readlinkSync(join(list, name));
      } catch {
        return ""; // the descriptor of the listing itself
      }
    })
    .filter((path) => path.startsWith(folder));
}
