import {
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore, type StorePlace } from "../../src/store/open-store.ts";
import { StoreRefusedError } from "../../src/store/store.ts";
import {
  type ExportFolder,
  makeExportFolder,
  makeStoreTemplates,
  type StoreTemplates,
} from "../harness/export-folders.ts";
import { openTables, randomRows, type Tables } from "../harness/store-tables.ts";
import { encryption, tablesIn, transfer } from "../harness/transfer-between.ts";

/** The seed of the rows; another: EXPORT_SEED=1. */
const SEED = Number(process.env.EXPORT_SEED ?? 20_261_122);
/** Two pages of submissions and two of resolutions, of 500 rows each at most. */
const ROWS = { submissions: 501, resolutions: 502, connections: 0, seed: SEED };
const ALL = 1_003;
const PAGES = [500, 501, 1_001, 1_003].map((rows) => [rows, ALL] as const);
const DONE = { submissions: 501, resolutions: 502, connections: 0 };

let server: RunningPostgres;
let templates: StoreTemplates;
let filled: Tables;
beforeAll(async () => {
  server = await startPostgres();
  templates = await makeStoreTemplates({ full: ROWS });
  filled = await tablesIn(templates.place("full"));
});
afterAll(async () => {
  templates.remove();
  await server.remove();
});

let folder: ExportFolder;
let path: ExportFolder["path"];
let fileIn: ExportFolder["fileIn"];
beforeEach(() => {
  folder = makeExportFolder();
  ({ fileIn, path } = folder);
});
afterEach(() => expect(folder.remove(), "files that are still open").toEqual([]));

/** A file that a gateway served from, with the rows of a template. */
function copyOf(name: "empty" | "full"): StorePlace {
  return folder.copyOf(templates.place(name));
}

async function database(): Promise<StorePlace> {
  return { data: path("beside"), databaseUrl: await server.createDatabase() };
}

describe("submissions that are exported from a file, imported into PostgreSQL, and back", () => {
  it("are the same in every column, in the same order", async () => {
    const [source, middle, target] = [copyOf("full"), await database(), fileIn("target")];
    const steps: [typeof source, "export" | "import", string][] = [
      [source, "export", "first"],
      [middle, "import", "first"],
      [middle, "export", "second"],
      [target, "import", "second"],
    ];
    for (const [place, purpose, name] of steps) {
      const run = await transfer(purpose, place, path(name));
      expect(run).toMatchObject({ error: null, done: DONE, notes: [], progress: PAGES });
      expect(await tablesIn(place)).toEqual(filled);
    }
    expect(statSync(path("first")).mode & 0o777).toBe(0o600);
    expect(existsSync(path("first.partial"))).toBe(false);
    const open = await openTables(middle);
    const connections =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'insurance-gateway export or import'";
    await expect.poll(() => open.run(connections)).toEqual([]);
    await open.close();
    await (await openStore(middle, "serve")).close();
  });

  it("come in smaller pages where answers are long, and an answer that is longer than a page in one of its own", async () => {
    const source = copyOf("empty");
    const tables = await openTables(source);
    const from = { keyId: encryption.keyId, seed: SEED };
    const megabytes = [1.5, 1.5, 1.5, 5, 1, 2.5, 0];
    const rows = randomRows("gateway_submissions", megabytes.length, from).map((row, index) => ({
      ...row,
      answer: "5a".repeat(1_000_000 * (megabytes[index] ?? 0)),
    }));
    await tables.insert("gateway_submissions", rows);
    await tables.close();
    const exported = await transfer("export", source, path("file"));
    expect(exported.progress.map(([done]) => done)).toEqual([2, 3, 4, 7]);
    const target = fileIn("two");
    expect(await transfer("import", target, path("file"))).toMatchObject({ error: null });
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });

  it("are none where there are none", async () => {
    const source = copyOf("empty");
    const nothing = {
      done: { submissions: 0, resolutions: 0, connections: 0 },
      progress: [],
      error: null,
    };
    expect(await transfer("export", source, path("file"))).toMatchObject(nothing);
    const target = await database();
    expect(await transfer("import", target, path("file"))).toMatchObject(nothing);
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });
});

describe("an export that is interrupted", () => {
  let source: StorePlace;
  beforeEach(() => {
    source = copyOf("full");
  });

  /** Expects that a file has everything that the source has. */
  async function expectComplete(name: string): Promise<void> {
    const target = fileIn(`from ${name}`);
    expect(await transfer("import", target, path(name))).toMatchObject({ error: null });
    expect(await tablesIn(target)).toEqual(filled);
  }

  it("has no file of its name, and goes on after the last page that it wrote", async () => {
    for (const [index, [rows]] of PAGES.entries()) {
      const name = `file ${index}`;
      const first = await transfer("export", source, path(name), { interruptAfter: index + 1 });
      expect(first.error).toMatchObject({ message: "interrupted" });
      expect(existsSync(path(name))).toBe(false);
      expect(statSync(path(`${name}.partial`)).mode & 0o777).toBe(0o600);
      const second = await transfer("export", source, path(name));
      expect(second).toMatchObject({
        error: null,
        done: DONE,
        notes: [`${path(name)}.partial is continued after ${rows} rows.`],
        progress: PAGES.slice(index + 1),
      });
      await expectComplete(name);
    }
  });

  it("goes on also where a page is cut off, nothing but the beginning is there, or only the name was missing", async () => {
    await transfer("export", source, path("whole"));
    const ends = chunkEnds(readFileSync(path("whole")));
    expect(ends).toHaveLength(PAGES.length + 2);
    const cuts = [
      [(ends[0] ?? 0) + 3, 0],
      [(ends[0] ?? 0) + 7, 0],
      [(ends[2] ?? 0) - 1, 500],
      [ends[4] ?? 0, ALL],
      [ends[5] ?? 0, ALL],
    ] as const;
    for (const [bytes, rows] of cuts) {
      const name = `cut at ${bytes}`;
      copyFileSync(path("whole"), path(`${name}.partial`));
      truncateSync(path(`${name}.partial`), bytes);
      const run = await transfer("export", source, path(name));
      expect(run.notes).toEqual([`${path(name)}.partial is continued after ${rows} rows.`]);
      await expectComplete(name);
      expect(readFileSync(path(name)).length).toBe(ends.at(-1));
    }
  });

  it("begins again where its file is of no use, and gives it to its owner alone", async () => {
    await transfer("export", source, path("whole"));
    const whole = readFileSync(path("whole"));
    const damaged = Buffer.from(whole);
    damaged[whole.length - 100] = (damaged[whole.length - 100] ?? 0) ^ 1;
    const useless = { empty: Buffer.alloc(0), damaged, short: whole.subarray(0, 150) };
    for (const [name, bytes] of Object.entries(useless)) {
      writeFileSync(path(`${name}.partial`), bytes, { mode: 0o644 });
      const run = await transfer("export", source, path(name));
      expect(run.notes).toEqual([
        `${path(name)}.partial cannot be continued, because the store or its key has changed; a new export begins.`,
      ]);
      expect(run.progress).toEqual(PAGES);
      expect(statSync(path(name)).mode & 0o777).toBe(0o600);
      await expectComplete(name);
    }
  });
});

describe("an import that is interrupted", () => {
  it.each(["file", "PostgreSQL"])(
    "goes on after the last page that is in the %s; until then nobody uses the store",
    async (kind) => {
      const source = copyOf("full");
      await transfer("export", source, path("file"));
      for (const [index] of PAGES.entries()) {
        const target = kind === "file" ? fileIn(`target ${index}`) : await database();
        const first = await transfer("import", target, path("file"), { interruptAfter: index + 1 });
        expect(first.error).toMatchObject({ message: "interrupted" });
        const unfinished = new StoreRefusedError(
          "An import into this store was interrupted, so it has only a part of the submissions. Run `insurance-gateway submissions import FILE` again with the same file; it continues.",
        );
        // A file is opened by a thread, which takes long to start.
        for (const mode of kind === "file" ? [] : (["serve", "beside"] as const))
          await expect(openStore(target, mode)).rejects.toThrow(unfinished);
        expect((await transfer("export", target, path("none"))).error).toEqual(unfinished);
        const second = await transfer("import", target, path("file"));
        expect(second).toMatchObject({
          error: null,
          done: DONE,
          notes: ["An import of this file was interrupted; it is continued."],
          progress: PAGES,
          // One looks how far it is, one ends it; between, each page is written once.
          transactions: 2 + PAGES.length - (index + 1),
        });
        expect(await tablesIn(target)).toEqual(filled);
        if (kind !== "file") await (await openStore(target, "serve")).close();
      }
    },
  );

  it("begins again with another file of the same store", async () => {
    const source = copyOf("full");
    for (const name of ["first", "second"]) await transfer("export", source, path(name));
    const target = fileIn("two");
    await transfer("import", target, path("first"), { interruptAfter: 3 });
    const run = await transfer("import", target, path("second"));
    expect(run).toMatchObject({ error: null, notes: [], progress: PAGES });
    expect(await tablesIn(target)).toEqual(filled);
    const again = await transfer("import", target, path("first"));
    expect(again, "into a store that has everything").toMatchObject({ error: null, notes: [] });
    expect(await tablesIn(target)).toEqual(filled);
  });
});

/** Where each chunk of a file ends. */
function chunkEnds(file: Buffer): readonly number[] {
  const ends: number[] = [];
  for (let offset = file.indexOf("\n") + 1; offset < file.length; ) {
    offset += 5 + file.readUInt32BE(offset + 1);
    ends.push(offset);
  }
  return ends;
}
