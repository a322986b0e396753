import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { StoreAlone } from "../store/alone.ts";
import { EXPORTED_TABLES, type ExportedTable } from "../store/exported-tables.ts";
import { type StoredSecret, StoreRefusedError } from "../store/store.ts";
import {
  beginImport,
  endImport,
  importPage,
  importProgress,
  type Page,
  readPage,
  readSecrets,
  type Summary,
  summary,
} from "../store/transfer.ts";
import {
  checkStoreSecret,
  DIGEST_SECRET,
  type Encryption,
  readDigestSecret,
  refuseUnknown,
} from "./encryption.ts";
import {
  type Chunk,
  ExportFileError,
  type ExportHeader,
  encryptChunk,
  headerLine,
  newHeader,
  type OpenExport,
  openExport,
} from "./export-file.ts";

/** What an export or import works with. */
export interface TransferParts {
  readonly store: StoreAlone;
  readonly path: string;
  readonly encryption: Encryption;
  /** The configuration, as errors name it. */
  readonly source: string;
  /** Called with the number of rows that are done, and of all. */
  readonly progress: (rows: number, of: number) => void;
  /** Called with what an operator should know. */
  readonly note: (text: string) => void;
}

/** How much was exported or imported. */
export type Transferred = Pick<Summary, "submissions" | "resolutions" | "connections">;

/** The first chunk of a file: what the store had, and its secrets. */
interface Beginning {
  readonly summary: Summary;
  /** Encrypted bytes in base64, by name. */
  readonly secrets: Readonly<
    Record<string, { readonly keyId: string; readonly encrypted: string }>
  >;
}

/** How far an export is: the chunks that are in the file, and the row to go on after. */
interface ExportPosition {
  readonly header: ExportHeader;
  readonly chunks: number;
  readonly bytes: number;
  readonly rows: number;
  readonly table: ExportedTable;
  readonly after: number;
}

/**
 * Writes everything of a store to a new file, which has its name when it is complete. An export that was interrupted is
 * continued, unless the store has changed since.
 * @throws StoreRefusedError, ConfigurationError, StoreUnavailableError, Error when the file exists already
 */
export async function exportStore(parts: TransferParts): Promise<Transferred> {
  const { encryption, path, source, store } = parts;
  if (existsSync(path)) throw new Error(`${path} exists already: name another file.`);
  const secrets = await store.run(readSecrets());
  const secret = async (name: string): Promise<StoredSecret | null> => secrets[name] ?? null;
  await checkStoreSecret({ secret }, encryption, source);
  const beginning: Beginning = {
    summary: await store.run(summary()),
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, { encrypted, keyId }]) => [
        name,
        { keyId, encrypted: Buffer.from(encrypted).toString("base64") },
      ]),
    ),
  };
  refuseUnknown(beginning.summary.keyIds, encryption, source);
  const partial = `${path}.partial`;
  const position = await continued(parts, partial, beginning);
  const file = await open(partial, position === null ? "w" : "r+", 0o600);
  try {
    await file.chmod(0o600);
    await writeExport(parts, file, beginning, position ?? (await begin(parts, file, beginning)));
    const after = await store.run(summary());
    if (JSON.stringify(after) !== JSON.stringify(beginning.summary))
      throw new Error("A command changed the store during the export. Run the export again.");
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  await syncFolder(path);
  return beginning.summary;
}

async function begin(
  { encryption }: TransferParts,
  file: FileHandle,
  beginning: Beginning,
): Promise<ExportPosition> {
  const header = newHeader(encryption);
  const line = Buffer.from(headerLine(header));
  const first = encryptChunk(encryption, header, { content: beginning, isLast: false, index: 0 });
  await file.write(Buffer.concat([line, first]), 0, undefined, 0);
  const bytes = line.byteLength + first.byteLength;
  return { header, chunks: 1, bytes, rows: 0, table: "gateway_submissions", after: 0 };
}

/** Where an export that was interrupted goes on; null when a new one begins. */
async function continued(
  { encryption, note, source }: TransferParts,
  partial: string,
  beginning: Beginning,
): Promise<ExportPosition | null> {
  if (!existsSync(partial)) return null;
  let position: ExportPosition | null = null;
  try {
    const file = await openExport(partial, encryption, source);
    try {
      position = await positionIn(file, encryption, beginning);
    } finally {
      await file.close();
    }
  } catch {
    // It cannot be used, and is written over.
  }
  if (position === null) {
    await rm(partial);
    note(
      `${partial} cannot be continued, because the store or its key has changed; a new export begins.`,
    );
  } else note(`${partial} is continued after ${position.rows} rows.`);
  return position;
}

async function positionIn(
  file: OpenExport,
  { keyId }: Encryption,
  beginning: Beginning,
): Promise<ExportPosition | null> {
  const { header } = file;
  if (header.keyId !== keyId) return null;
  let position: ExportPosition | null = null;
  try {
    for await (const { content, end, isLast } of file.chunks()) {
      if (position === null) {
        if (JSON.stringify(content) !== JSON.stringify(beginning)) return null;
        position = {
          header,
          chunks: 1,
          bytes: end,
          rows: 0,
          table: "gateway_submissions",
          after: 0,
        };
      } else if (!isLast) {
        const { rows, table, upTo } = pageOf(content);
        position = {
          header,
          chunks: position.chunks + 1,
          bytes: end,
          rows: position.rows + rows.length,
          table,
          after: upTo,
        };
      }
    }
  } catch (error) {
    if (!(error instanceof ExportFileError && error.truncated)) throw error;
  }
  return position;
}

async function writeExport(
  { encryption, progress, store }: TransferParts,
  file: FileHandle,
  beginning: Beginning,
  position: ExportPosition,
): Promise<void> {
  const { header } = position;
  let { after, bytes, chunks: index, rows } = position;
  // What follows the last whole chunk was cut off.
  await file.truncate(bytes);
  const write = async (content: unknown, isLast: boolean): Promise<void> => {
    const chunk = encryptChunk(encryption, header, { content, isLast, index });
    await file.write(chunk, 0, undefined, bytes);
    bytes += chunk.byteLength;
    index += 1;
  };
  for (const table of EXPORTED_TABLES.slice(EXPORTED_TABLES.indexOf(position.table))) {
    for (;;) {
      const page = await store.run(readPage(table, after));
      if (page === null) break;
      await write(page, false);
      after = page.upTo;
      rows += page.rows.length;
      progress(rows, rowsOf(beginning.summary));
    }
    after = 0;
  }
  await write({ rows }, true);
}

/** The name of a file is on disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Writes everything of a file into a store. The whole file is read and checked first. An import that was interrupted is
 * continued; until it has ended, no gateway serves from the store.
 * @throws ExportFileError, StoreRefusedError, ConfigurationError, StoreUnavailableError
 */
export async function importStore(
  parts: Omit<TransferParts, "store">,
  openStore: () => Promise<StoreAlone>,
): Promise<Transferred> {
  const { encryption, path, source } = parts;
  const file = await openExport(path, encryption, source);
  try {
    const beginning = await checked(file, path);
    refuseUnknown(beginning.summary.keyIds, encryption, source);
    readDigestSecret(storedSecrets(beginning)[DIGEST_SECRET], encryption, source);
    const store = await openStore();
    try {
      await write({ ...parts, store }, file, beginning);
    } finally {
      await store.close();
    }
    return beginning.summary;
  } finally {
    await file.close();
  }
}

/** Reads a whole file, and gives its beginning. */
async function checked(file: OpenExport, path: string): Promise<Beginning> {
  let beginning: Beginning | null = null;
  let rows = 0;
  for await (const { content, isLast } of file.chunks()) {
    if (beginning === null) beginning = beginningOf(content);
    else if (!isLast) rows += pageOf(content).rows.length;
  }
  const expected = beginning === null ? 0 : rowsOf(beginning.summary);
  if (beginning === null || rows !== expected)
    throw new ExportFileError(
      `${path} has ${rows} rows, but its header says ${expected}: export again.`,
    );
  return beginning;
}

async function write(
  { encryption, note, progress, source, store }: TransferParts,
  file: OpenExport,
  beginning: Beginning,
): Promise<void> {
  const { summary: given } = beginning;
  const { dialect } = store;
  const { header } = file;
  const interrupted = await store.run(importProgress(dialect));
  let done = 0;
  if (interrupted?.file === header.id) {
    done = interrupted.pages;
    note(`An import of this file was interrupted; it is continued.`);
  } else {
    const { submissions } = await store.run(summary());
    const secrets = storedSecrets(beginning);
    const own = (await store.run(readSecrets()))[DIGEST_SECRET];
    if (submissions > 0) refuseOtherSecret(own, secrets[DIGEST_SECRET], { encryption, source });
    await store.run(beginImport(dialect, header.id, secrets));
  }
  let index = 0;
  let rows = 0;
  for await (const { content, isLast } of file.chunks()) {
    if (index > 0 && !isLast) {
      const page = pageOf(content);
      if (index > done) await store.run(importPage(page, index));
      rows += page.rows.length;
      progress(rows, rowsOf(given));
    }
    index += 1;
  }
  await store.run(endImport());
}

/** How many rows a file has. */
function rowsOf({ connections, counts, resolutions, submissions }: Summary): number {
  return submissions + resolutions + connections + counts;
}

function refuseOtherSecret(
  own: StoredSecret | undefined,
  given: StoredSecret | undefined,
  { encryption, source }: Pick<TransferParts, "encryption" | "source">,
): void {
  const [one, other] = [own, given].map((secret) => readDigestSecret(secret, encryption, source));
  if (one != null && other != null && Buffer.from(one).equals(other)) return;
  throw new StoreRefusedError(
    "The store has submissions of its own, whose digests were made with another secret: neither gateway would know the other's keys. Import into an empty store.",
  );
}

function storedSecrets({ secrets }: Beginning): Readonly<Record<string, StoredSecret>> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, { encrypted, keyId }]) => [
      name,
      { keyId, encrypted: Buffer.from(encrypted, "base64") },
    ]),
  );
}

/** What can be decrypted in its place was written there by an export. */
function beginningOf(content: Chunk["content"]): Beginning {
  return content as Beginning;
}

function pageOf(content: Chunk["content"]): Page {
  return content as Page; // for the same reason
}
