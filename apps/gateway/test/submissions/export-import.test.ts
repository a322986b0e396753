import { appendFileSync, chmodSync, existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { openStore, type StorePlace } from "../../src/store/open-store.ts";
import { StoreRefusedError } from "../../src/store/store.ts";
import { createEncryption } from "../../src/submissions/encryption.ts";
import {
  type ExportFolder,
  makeExportFolder,
  makeStoreTemplates,
  type StoreTemplates,
} from "../harness/export-folders.ts";
import { openTables, randomRows } from "../harness/store-tables.ts";
import {
  encryption,
  fillPlace,
  keyNamed,
  runIn,
  serveOnce,
  tablesIn,
  transfer,
} from "../harness/transfer-between.ts";

/** The seed of the rows; another: EXPORT_SEED=1. */
const SEED = Number(process.env.EXPORT_SEED ?? 20_261_122);
const FEW = { submissions: 3, resolutions: 2, connections: 0, seed: SEED };
const DONE = { submissions: 3, resolutions: 2, connections: 0 };
/** One page of each table. */
const PAGES = [
  [3, 5],
  [5, 5],
];

let server: RunningPostgres;
let templates: StoreTemplates;
beforeAll(async () => {
  server = await startPostgres();
  templates = await makeStoreTemplates({ few: FEW });
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
function copyOf(name: "empty" | "few", as?: string): StorePlace {
  return folder.copyOf(templates.place(name), as);
}

describe("an export", () => {
  it("is its owner's alone, and is imported whole", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    const exported = await transfer("export", source, path("file"));
    expect(exported).toMatchObject({ error: null, done: DONE, notes: [], progress: PAGES });
    expect(statSync(path("file")).mode & 0o777).toBe(0o600);
    expect(existsSync(path("file.partial"))).toBe(false);
    const imported = await transfer("import", target, path("file"));
    expect(imported).toMatchObject({ error: null, done: DONE, notes: [], progress: PAGES });
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });

  it("that is interrupted has no file of its name, and goes on after its last page", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    const first = await transfer("export", source, path("file"), { interruptAfter: 1 });
    expect(first.error).toMatchObject({ message: "interrupted" });
    expect(existsSync(path("file"))).toBe(false);
    expect(statSync(path("file.partial")).mode & 0o777).toBe(0o600);
    const second = await transfer("export", source, path("file"));
    expect(second).toMatchObject({
      error: null,
      done: DONE,
      notes: [`${path("file")}.partial is continued after 3 rows.`],
      progress: PAGES.slice(1),
    });
    await transfer("import", target, path("file"));
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });

  it("that was interrupted in the middle of a page is its owner's alone, and whole, again", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    await transfer("export", source, path("file"), { interruptAfter: 1 });
    // The page says that it is longer than it is, and than all that follows.
    const part = Buffer.concat([Buffer.of(0, 0x7f, 0xff, 0xff, 0xff), Buffer.alloc(100_000)]);
    appendFileSync(path("file.partial"), part);
    chmodSync(path("file.partial"), 0o644);
    const second = await transfer("export", source, path("file"));
    expect(second).toMatchObject({ error: null, progress: PAGES.slice(1) });
    expect(statSync(path("file")).mode & 0o777).toBe(0o600);
    expect(await transfer("import", target, path("file"))).toMatchObject({ error: null });
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });

  it("has the counts of every day, too", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    const tables = await openTables(source);
    const from = { seed: SEED, keyId: encryption.keyId };
    for (const table of ["gateway_usage", "gateway_availability"] as const)
      await tables.insert(table, randomRows(table, 2, from));
    await tables.close();
    const progress = [...PAGES.map(([rows]) => [rows, 9]), [7, 9], [9, 9]];
    expect(await transfer("export", source, path("file"))).toMatchObject({ error: null, progress });
    expect(await transfer("import", target, path("file"))).toMatchObject({ error: null, progress });
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
  });

  it("that was whole but had no name of its own yet is written to its end again", async () => {
    const [source, target] = [copyOf("few"), fileIn("two")];
    await transfer("export", source, path("file"));
    const whole = statSync(path("file")).size;
    renameSync(path("file"), path("file.partial"));
    const again = await transfer("export", source, path("file"));
    expect(again).toMatchObject({ error: null, done: DONE, progress: [] });
    expect(statSync(path("file")).size).toBe(whole);
    await transfer("import", target, path("file"));
    expect(await tablesIn(target)).toEqual(await tablesIn(source));
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
    ["one is queried earlier", `${update} next_query_at = 7 ${first})`],
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

it("an import that is interrupted goes on after its last page; until then nobody uses the store", async () => {
  const [source, target] = [copyOf("few"), fileIn("two")];
  await transfer("export", source, path("file"));
  const first = await transfer("import", target, path("file"), { interruptAfter: 1 });
  expect(first.error).toMatchObject({ message: "interrupted" });
  expect((await transfer("export", target, path("none"))).error).toEqual(
    new StoreRefusedError(
      "An import into this store was interrupted, so it has only a part of the submissions. Run `insurance-gateway submissions import FILE` again with the same file; it continues.",
    ),
  );
  const second = await transfer("import", target, path("file"));
  expect(second).toMatchObject({
    error: null,
    done: DONE,
    notes: ["An import of this file was interrupted; it is continued."],
    progress: PAGES,
    // One looks how far it is, one writes the second page, one ends it.
    transactions: 3,
  });
  expect(await tablesIn(target)).toEqual(await tablesIn(source));
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

  it.each([
    ["the only one of the file", 1, "SELECT 1"],
    ["some without idempotency keys", 3, "UPDATE gateway_submissions SET key_digest = NULL"],
  ])("%s already leaves everything as it is", async (_, submissions, sql) => {
    const few = fileIn("first");
    await serveOnce(few);
    await fillPlace(few, { submissions, resolutions: 0, connections: 0, seed: SEED });
    await runIn(few, sql);
    await transfer("export", few, path("exported"));
    target = { data: path("beside"), databaseUrl: await server.createDatabase() };
    for (const time of ["first", "second"]) {
      expect((await transfer("import", target, path("exported"))).error, time).toBeNull();
      expect(await tablesIn(target), time).toEqual(await tablesIn(few));
    }
  });

  it("one of another secret, or of none, is refused, and changes nothing", async () => {
    target = { data: path("beside"), databaseUrl: await server.createDatabase() };
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
      new Error(`${path("file")} exists already: name another file.`),
    );
    expect(readFileSync(path("file"))).toEqual(before);
  });
});
