import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StorePlace } from "../../src/configuration/submission-store.ts";
import {
  type CopyOptions,
  copyStore,
  markRestored,
  type TableDigest,
} from "../../src/store/copy.ts";
import {
  type ExclusiveStore,
  makeStore,
  openBackup,
  openExclusive,
} from "../../src/store/exclusive-store.ts";
import { StoreRefusedError } from "../../src/store/faults.ts";
import { openSchemaToServe } from "../../src/store/migrations.ts";
import { openStore, sqliteFile } from "../../src/store/open-store.ts";
import { fillTables, rowsIn, tablesIn } from "../harness/random-tables.ts";

let server: RunningPostgres;
let folder: string;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "copy-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fileIn = (name: string): StorePlace => ({ data: join(folder, name), databaseUrl: undefined });
const database = async (): Promise<StorePlace> => ({
  data: "",
  databaseUrl: await server.createDatabase(),
});

/** Returns a store in a file, with rows in every table. */
async function filled(rows = 300): Promise<StorePlace> {
  const place = fileIn("source");
  await makeStore(place);
  fillTables(sqliteFile(place), rows);
  return place;
}

interface Changes extends Partial<CopyOptions> {
  /**
   * Receives the opened target, and returns the store into which the test copies the rows. Default: the target itself.
   */
  readonly target?: (to: ExclusiveStore) => ExclusiveStore;
}

/** Copies a store as the command `store copy` does. */
async function copy(
  from: StorePlace,
  to: StorePlace,
  { target = (store) => store, ...changes }: Changes = {},
): Promise<readonly TableDigest[]> {
  const source = await openExclusive(from, "existing");
  try {
    const opened = await openExclusive(to, "new");
    try {
      return await copyStore(source, target(opened), {
        as: () => ({ mark: "usual", place: "" }),
        leave: { mark: "copied", place: opened.name },
        progress: () => {},
        ...changes,
      });
    } finally {
      await opened.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * Opens a store as a gateway with a real insurer does, but without the SQLite thread, which takes a second to start.
 */
async function serve(place: StorePlace): Promise<void> {
  const store = await openExclusive(place, "existing");
  try {
    await store.run(openSchemaToServe(store.dialect, { name: store.name, mustExist: true }));
  } finally {
    await store.close();
  }
}

const INTERRUPTED = "A copy into this store was interrupted";

describe("a copy of a store", () => {
  it("a copy of a store has every row of every table, and a gateway serves only from the copy, not from the original", async () => {
    const source = await filled();
    const before = await tablesIn(source);
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
    const places = [source, await database(), fileIn("back"), fileIn("again")] as const;
    let digests: readonly TableDigest[] | undefined;
    for (const [index, to] of places.entries()) {
      const from = places[index - 1];
      if (from === undefined) continue;
      const copied = await copy(from, to);
      expect(copied).toEqual(digests ?? copied);
      digests = copied;
      expect(await tablesIn(to)).toEqual(before);
      await serve(to);
      await expect(serve(from)).rejects.toThrow("This store was copied to ");
    }
    expect(digests?.map(({ rows, table }) => [table, rows])).toEqual(
      Object.entries(before).map(([table, rows]) => [table, rows.length]),
    );
  });

  it.each(["a file", "PostgreSQL"])(
    "a gateway refuses the target of an interrupted copy in %s until the copy is repeated, but serves from the source",
    async (kind) => {
      const source = await filled();
      const to = kind === "a file" ? fileIn("target") : await database();
      const interrupted = copy(source, to, {
        progress(rows) {
          if (rows > 500) throw new Error("interrupted");
        },
      });
      await expect(interrupted).rejects.toThrow("interrupted");
      await expect(serve(to)).rejects.toThrow(INTERRUPTED);
      const part = await openExclusive(to, "existing");
      await expect(markRestored(part)).rejects.toThrow(INTERRUPTED);
      await part.close();
      await serve(source);
      await rowsIn(source, "DELETE FROM gateway_submissions WHERE number <= 10");
      const before = await tablesIn(source);
      await copy(source, to);
      expect(await tablesIn(to)).toEqual(before);
      await serve(to);
    },
  );

  it("a gateway refuses the source and the target of a copy that was interrupted after marking the source, until the copy is repeated", async () => {
    const source = await filled(3);
    const to = fileIn("target");
    const interrupted = copy(source, to, {
      target: (store) => ({
        ...store,
        async run(transaction) {
          const [row] = await rowsIn(source, "SELECT mark FROM gateway_store");
          if (row?.mark === "copied") throw new Error("interrupted");
          return store.run(transaction);
        },
      }),
    });
    await expect(interrupted).rejects.toThrow("interrupted");
    await expect(serve(source)).rejects.toThrow("This store was copied to ");
    await expect(serve(to)).rejects.toThrow(INTERRUPTED);
    const before = await tablesIn(source);
    await copy(source, to);
    expect(await tablesIn(to)).toEqual(before);
    await serve(to);
  });

  it("a store cannot be copied to a place that already has a store, and the attempt changes neither store", async () => {
    const source = await filled(3);
    const other = fileIn("other");
    await makeStore(other);
    fillTables(sqliteFile(other), 2);
    const before = await tablesIn(other);
    await expect(copy(source, other)).rejects.toThrow("already has a store");
    expect(await tablesIn(other)).toEqual(before);
    await serve(other);
    await serve(source);
  });

  it("the copying of a store fails while a gateway serves from the source or the target", async () => {
    const source = await filled(3);
    const target = await database();
    await makeStore(target);
    for (const [served, message] of [
      [source, "A gateway serves from"],
      [target, "A gateway serves from this database"],
    ] as const) {
      const gateway = await openStore(served, "serve", true);
      await expect(copy(source, target)).rejects.toThrow(message);
      await gateway.close();
    }
    await copy(source, target);
  });

  it("the copying of a store fails if a command changes the source at the same time, and the source stays usable", async () => {
    const source = await filled(300);
    const to = fileIn("target");
    let isChanged = false;
    const changed = copy(source, to, {
      progress(rows) {
        if (isChanged || rows < 1) return;
        isChanged = true;
        void rowsIn(source, "DELETE FROM gateway_account_changes");
      },
    });
    await expect(changed).rejects.toThrow("because a command changed the store meanwhile");
    await serve(source);
    await expect(serve(to)).rejects.toThrow(INTERRUPTED);
  });
});

describe("the target of a restored store", () => {
  it.each([
    ["log", "-wal", "is the log of a store that was not stopped in order"],
    ["count file", ".count", "is left of a store"],
  ])(
    "a backup of a store cannot be restored into a folder with the %s of another store",
    async (_, suffix, message) => {
      const target = fileIn("target");
      mkdirSync(target.data);
      writeFileSync(sqliteFile(target) + suffix, "the newest submissions");
      await expect(openExclusive(target, "new")).rejects.toThrow(
        `${sqliteFile(target)}${suffix} ${message}`,
      );
      expect(existsSync(sqliteFile(target))).toBe(false);
    },
  );
});

describe("a backup", () => {
  it("a command opens a backup without changing the file, but refuses a backup that was copied from a store in use", async () => {
    const source = await filled(3);
    const before = await tablesIn(source);
    const backup = join(folder, "backup.sqlite");
    await rowsIn(source, `VACUUM INTO '${backup}'`);
    const opened = await openBackup(backup);
    const target = await openExclusive(fileIn("target"), "new");
    await copyStore(opened, target, {
      as: () => ({ mark: "restored", place: backup }),
      leave: null,
      progress: () => {},
    });
    await target.close();
    await opened.close();
    expect(await tablesIn(fileIn("target"))).toEqual(before);
    expect(existsSync(`${backup}.lock`)).toBe(false);
    writeFileSync(`${backup}-wal`, "");
    await expect(openBackup(backup)).rejects.toThrow("copied from a store in use");
    writeFileSync(join(folder, "text"), "No database.".repeat(100));
    await expect(openBackup(join(folder, "text"))).rejects.toThrow(
      new StoreRefusedError(`${join(folder, "text")} must be a backup of a store (SQLITE_NOTADB).`),
    );
  });
});

describe("a store whose files were copied", () => {
  it("a gateway refuses a copied store while another gateway serves from the original, and serves from the copy after `mark-restored`", async () => {
    const source = await filled(3);
    const copied = fileIn("copied");
    mkdirSync(copied.data);
    await rowsIn(source, `VACUUM INTO '${sqliteFile(copied)}'`);
    const gateway = await openStore(source, "serve", true);
    await expect(openStore(copied, "serve", true)).rejects.toThrow(
      "serves from another copy of the store",
    );
    const exclusive = await openExclusive(copied, "existing");
    await markRestored(exclusive);
    await exclusive.close();
    const other = await openStore(copied, "serve", true);
    expect(await other.mark()).toBe("restored");
    await other.close();
    await gateway.close();
    renameSync(dirname(sqliteFile(source)), join(folder, "moved"));
    await serve(fileIn("moved"));
  });
});
