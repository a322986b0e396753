import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { openStore, type StorePlace } from "../../src/store/open-store.ts";
import { StoreRefusedError } from "../../src/store/store.ts";
import { createEncryption } from "../../src/submissions/encryption.ts";
import { makeStoreFolder, type StoreFolder } from "../harness/store-places.ts";
import { openTables, randomRows, type Tables } from "../harness/store-tables.ts";
import {
  encryption,
  fillPlace,
  keyNamed,
  openFilesBelow,
  runIn,
  serveOnce,
  tablesIn,
  transfer,
} from "../harness/transfer-between.ts";

/** The seed of the rows; another: EXPORT_SEED=1. */
const SEED = Number(process.env.EXPORT_SEED ?? 20_261_122);
/** Two pages of submissions and two of resolutions, of 500 rows each at most. */
const ROWS = { submissions: 501, resolutions: 502, connections: 0, seed: SEED };
const ALL = 1_003;
const PAGES = [500, 501, 1_001, 1_003].map((rows) => [rows, ALL] as const);
const DONE = { submissions: 501, resolutions: 502, connections: 0 };
const FEW = { submissions: 3, resolutions: 2, connections: 0, seed: SEED };

let server: RunningPostgres;
let templates: StoreFolder;
let filled: Tables;
beforeAll(async () => {
  server = await startPostgres();
  templates = makeStoreFolder();
  await serveOnce(template("empty"));
  for (const [name, rows] of Object.entries({ few: FEW, full: ROWS })) {
    cpSync(template("empty").data, template(name).data, { recursive: true });
    await fillPlace(template(name), rows);
  }
  filled = await tablesIn(template("full"));
});
afterAll(async () => {
  templates.remove();
  await server.remove();
});

/** A file that is copied: `full` has the rows of ROWS, `few` those of FEW, `empty` none; starting a store takes long. */
function template(name: string): StorePlace {
  return { data: join(dirname(templates.file), name), databaseUrl: undefined };
}

let folder: StoreFolder;
let root: string;
beforeEach(() => {
  folder = makeStoreFolder();
  root = dirname(dirname(folder.file));
});
afterEach(() => {
  const left = openFilesBelow(root);
  folder.remove();
  expect(left, "files that are still open").toEqual([]);
});

function path(name: string): string {
  return join(root, name);
}

function fileIn(name: string): StorePlace {
  return { data: path(name), databaseUrl: undefined };
}

/** A file that a gateway served from, with the rows of a template. */
function copyOf(name: "empty" | "few" | "full", as = "source"): StorePlace {
  const place = fileIn(as);
  cpSync(template(name).data, place.data, { recursive: true });
  return place;
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
    const megabytes = [1.5, 1.5, 1.5, 5, 1, 3, 0];
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

  const first = "WHERE number = (SELECT MIN(number) FROM gateway_submissions";
  const update = "UPDATE gateway_submissions SET";
  it.each([
    ["an answer was dropped", `${update} answer = NULL ${first} WHERE answer IS NOT NULL)`],
    ["a key adopted one", `${update} key_digest = x'01' ${first} WHERE key_digest IS NULL)`],
    ["one was withdrawn and another claimed", `${update} number = 4 WHERE number = 3`],
    ["one was changed at last", `${update} updated_at = ${2 ** 46} ${first})`],
    ["one has another state", `${update} fence = fence + 1 ${first})`],
    ["one was queried", `${update} queries = queries + 1 ${first})`],
    ["one is queried earlier", `${update} next_query_at = 7 ${first} WHERE next_query_at > 0)`],
    ["one has another key", `${update} key_id = 'old' ${first} WHERE key_id IS NOT NULL)`],
    ["one was forgotten", "DELETE FROM gateway_submissions WHERE number = 1"],
    [
      "a person looked at one",
      "INSERT INTO gateway_resolutions (submission, at, by_whom, reason, from_state, to_state) VALUES (x'01', 1, 'x', 'y', 'failed', 'failed')",
    ],
    [
      "there is another secret",
      "INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ('other', 'current', x'01')",
    ],
  ])("begins again when %s meanwhile", async (_, sql) => {
    const both = createEncryption([keyNamed("current"), keyNamed("old")]);
    const few = copyOf("few", "changed");
    await runIn(
      few,
      `${update} key_id = 'current', updated_at = 1, key_digest = NULL, answer = x'01'`,
    );
    await transfer("export", few, path("file"), { interruptAfter: 1, encryption: both });
    await runIn(few, sql);
    const changed = await tablesIn(few);
    const run = await transfer("export", few, path("file"), { encryption: both });
    expect(run.notes.join()).toContain("a new export begins");
    const target = fileIn("two");
    await transfer("import", target, path("file"), { encryption: both });
    expect(await tablesIn(target)).toEqual(changed);
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

describe("an import into a store that has", () => {
  let source: StorePlace;
  let target: StorePlace;
  beforeEach(async () => {
    source = copyOf("few");
    target = fileIn("two");
    await transfer("export", source, path("file"));
  });

  const otherState = new StoreRefusedError(
    "The store has one of these submissions, or its idempotency key, in another state: a gateway has served from it since. Import into an empty store.",
  );
  const otherSecret = new StoreRefusedError(
    "The store has submissions of its own, whose digests were made with another secret: neither gateway would know the other's keys. Import into an empty store.",
  );

  it.each([
    [
      "one of them in another state",
      "UPDATE gateway_submissions SET fence = fence + 1 WHERE number = 2",
    ],
    [
      "one of them with another answer",
      "UPDATE gateway_submissions SET answer = x'00' WHERE number = 3",
    ],
    [
      "one of them without its key",
      "UPDATE gateway_submissions SET key_digest = x'00' WHERE number = 1",
    ],
    [
      "a key of them for another submission",
      "UPDATE gateway_submissions SET id = x'00' WHERE number = (SELECT MAX(number) FROM gateway_submissions WHERE key_digest IS NOT NULL)",
    ],
  ])("%s is refused, and changes nothing", async (_, sql) => {
    await transfer("import", target, path("file"));
    await runIn(target, sql);
    const before = await tablesIn(target);
    const run = await transfer("import", target, path("file"));
    expect(run.error).toEqual(otherState);
    expect(await tablesIn(target)).toEqual(before);
  });

  it("others of the same secret adds them", async () => {
    await transfer("import", target, path("file"));
    const tables = await openTables(target);
    const from = { keyId: encryption.keyId, seed: SEED + 1 };
    const own = randomRows("gateway_submissions", 1, from);
    await tables.run("DELETE FROM gateway_submissions");
    await tables.run("DELETE FROM gateway_resolutions WHERE number = 2");
    await tables.insert("gateway_submissions", own);
    const before = (await tables.read()).gateway_submissions;
    await tables.close();
    const run = await transfer("import", target, path("file"));
    expect(run).toMatchObject({ error: null });
    const given = await tablesIn(source);
    expect(await tablesIn(target)).toEqual({
      ...given,
      gateway_submissions: [...before, ...given.gateway_submissions],
    });
  });

  it("one of another secret, or of none, is refused, and changes nothing", async () => {
    target = await database();
    await serveOnce(target);
    const tables = await openTables(target);
    const from = { keyId: encryption.keyId, seed: SEED + 1 };
    await tables.insert("gateway_submissions", randomRows("gateway_submissions", 1, from));
    for (const sql of ["SELECT 1", "DELETE FROM gateway_secrets"]) {
      await tables.run(sql);
      const before = await tables.read();
      expect((await transfer("import", target, path("file"))).error).toEqual(otherSecret);
      expect(await tables.read()).toEqual(before);
    }
    await tables.close();
    await (await openStore(target, "serve")).close();
  });

  it("a secret and nothing else takes the secret of the file", async () => {
    copyOf("empty", "two");
    const other = createEncryption([keyNamed("current")]).encrypt(Buffer.alloc(32), "digests");
    const bytes = Buffer.from(other).toString("hex");
    await runIn(target, `UPDATE gateway_secrets SET encrypted = x'${bytes}'`);
    expect(await transfer("import", target, path("file"))).toMatchObject({ error: null });
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });
});

describe("keys", () => {
  it("that something is encrypted with are needed to export it, and to import it", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    await runIn(source, "UPDATE gateway_submissions SET key_id = 'current'");
    const other = createEncryption([keyNamed("other")]);
    const both = createEncryption([keyNamed("other"), keyNamed("current")]);
    const missing = expect.stringContaining(
      'submissions.keys: the store has what the key "current" encrypted; keep that key, after the new one, until it is dropped',
    );
    const refused = (await transfer("export", source, path("file"), { encryption: other })).error;
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(refused).toMatchObject({ message: missing });
    await runIn(source, "UPDATE gateway_submissions SET key_id = NULL, match_fields = NULL");
    const secretOnly = await transfer("export", source, path("file"), { encryption: other });
    expect(secretOnly.error, "the secret's own").toMatchObject({ message: missing });
    expect(existsSync(path("file.partial"))).toBe(false);
    expect(await transfer("export", source, path("file"), { encryption: both })).toMatchObject({
      error: null,
    });
    const secretUnread = await transfer("import", target, path("file"), { encryption: other });
    expect(secretUnread.error).toMatchObject({ message: missing });
    expect(existsSync(path("two")), "nothing is written").toBe(false);
    const next = createEncryption([keyNamed("next"), keyNamed("other"), keyNamed("current")]);
    expect(await transfer("import", target, path("file"), { encryption: next })).toMatchObject({
      error: null,
    });
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });

  it("with the id and another secret are noticed before anything is written", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    const wrong = createEncryption([{ ...keyNamed("other"), id: "current" }]);
    const refused = (await transfer("export", source, path("file"), { encryption: wrong })).error;
    expect(refused).toMatchObject({
      message: expect.stringContaining(
        'submissions.keys: the key "current" is not the one that the store was encrypted with',
      ),
    });
    expect(existsSync(path("file.partial"))).toBe(false);
    await transfer("export", source, path("file"));
    const file = (await transfer("import", target, path("file"), { encryption: wrong })).error;
    expect(file).toMatchObject({
      message: `${path("file")} cannot be decrypted: the key of submissions.keys with its id is another one, or the file was changed.`,
    });
  });

  it("an export is not written over", async () => {
    const source = copyOf("empty");
    await transfer("export", source, path("file"));
    const before = readFileSync(path("file"));
    expect((await transfer("export", source, path("file"))).error).toEqual(
      new Error(`${path("file")} is there already: name another file.`),
    );
    expect(readFileSync(path("file"))).toEqual(before);
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
