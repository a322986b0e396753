import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SandboxRecord } from "@insurance-gateway/adapter/sandbox";

/** Store of the simulated insurers' records. */
export interface RecordStore {
  /** Returns a provider's records, oldest first. At the first start these are its initial records. */
  of(provider: string, seed: readonly SandboxRecord[]): readonly SandboxRecord[];
  /** Adds a record, or replaces the record with the same id. The record is on disk when this function returns. */
  keep(provider: string, record: SandboxRecord): void;
  close(): void;
}

/**
 * Opens the file with the records, or creates it at the first start.
 * @param waitMs - longest wait for another process that has the file open, in milliseconds
 * @throws Error if the other process still has the file open after this wait
 */
export function openRecords(file: string, waitMs = 5_000): RecordStore {
  if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: waitMs });
  database.exec(
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
  );
  database.exec(
    "CREATE TABLE IF NOT EXISTS record (position INTEGER PRIMARY KEY, provider TEXT NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (provider, id))",
  );
  const select = database.prepare(
    "SELECT content FROM record WHERE provider = ? ORDER BY position",
  );
  const upsert = database.prepare(
    "INSERT INTO record (provider, id, content) VALUES (?, ?, ?) ON CONFLICT (provider, id) DO UPDATE SET content = excluded.content",
  );
  const loaded = new Map<string, Map<string, SandboxRecord>>();

  function load(provider: string, seed: readonly SandboxRecord[]): Map<string, SandboxRecord> {
    const known = loaded.get(provider);
    if (known !== undefined) return known;
    // Only `keep` writes to the table.
    const stored = select
      .all(provider)
      .map((row) => JSON.parse(String(row.content)) as SandboxRecord);
    const records = new Map([...seed, ...stored].map((record) => [record.id, record]));
    loaded.set(provider, records);
    return records;
  }

  return {
    of: (provider, seed) => [...load(provider, seed).values()],
    keep(provider, record) {
      upsert.run(provider, record.id, JSON.stringify(record));
      load(provider, []).set(record.id, record);
    },
    close: () => database.close(),
  };
}
