import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAlone } from "../src/store/alone.ts";
import { EXPORTED_TABLES, type ExportedTable } from "../src/store/exported-tables.ts";
import type { StorePlace } from "../src/store/open-store.ts";
import { beginImport, endImport, importPage, type Page, readPage } from "../src/store/transfer.ts";
import { exportedForm, openTables, randomRows, type TableRow } from "./harness/store-tables.ts";
import { tablesIn } from "./harness/transfer-between.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "transfer-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Kind = "a file" | "PostgreSQL";

/** A place with the tables of a gateway and nothing in them. */
async function makePlace(kind: Kind, name: string): Promise<StorePlace> {
  const databaseUrl = kind === "a file" ? undefined : await server.createDatabase();
  const place = { data: join(folder, name), databaseUrl };
  await (await openAlone(place, "import")).close();
  return place;
}

/** Reads the first page of each table. */
async function pagesIn(place: StorePlace): Promise<readonly Page[]> {
  const store = await openAlone(place, "export");
  const pages: Page[] = [];
  for (const table of EXPORTED_TABLES) {
    const page = await store.run(readPage(table, 0));
    if (page !== null) pages.push(page);
  }
  await store.close();
  return pages;
}

/** Imports pages, and gives how many rows of each were written. */
async function importInto(place: StorePlace, pages: readonly Page[]): Promise<readonly number[]> {
  const store = await openAlone(place, "import");
  const written: number[] = [];
  await store.run(beginImport(store.dialect, "file", {}));
  for (const [index, page] of pages.entries())
    written.push(await store.run(importPage(page, index + 1)));
  await store.run(endImport());
  await store.close();
  return written;
}

const samples = EXPORTED_TABLES.map(
  (table) => [table, randomRows(table, 3, { keyId: "current", seed: 20_261_122 })] as const,
);

describe.each<[Kind, Kind]>([
  ["a file", "PostgreSQL"],
  ["PostgreSQL", "a file"],
])("every table of %s", (from, to) => {
  it(`is exported with each column's own values, and is the same in ${to}, however often it is imported`, async () => {
    const [source, target] = [await makePlace(from, "source"), await makePlace(to, "target")];
    const tables = await openTables(source);
    for (const [table, rows] of samples) await tables.insert(table, rows);
    await tables.close();
    const pages = await pagesIn(source);
    expect(pages).toEqual(
      samples.map(([table, rows]) => ({
        table,
        upTo: 3,
        rows: rows.map((row) => exportedForm(table, row)),
      })),
    );
    expect(await importInto(target, pages)).toEqual([3, 3, 3, 3, 3]);
    const expected = await tablesIn(source);
    expect(await tablesIn(target)).toEqual(expected);
    expect((await importInto(target, pages)).slice(0, 3), "rows that are there").toEqual([0, 0, 0]);
    expect(await tablesIn(target)).toEqual(expected);
  });
});

it("exports as many large rows in a page as fit into 4 MB, and at least one", async () => {
  const source = await makePlace("a file", "source");
  const tables = await openTables(source);
  const rows = randomRows("gateway_submissions", 4, { keyId: "current", seed: 20_261_124 });
  const megabytes = [1.5, 1.5, 1.5, 5];
  const bytes = (index: number): string => "01".repeat((megabytes[index] ?? 0) * 1_000_000);
  await tables.insert(
    "gateway_submissions",
    rows.map((row, index) => ({ ...row, [index === 1 ? "match_fields" : "answer"]: bytes(index) })),
  );
  await tables.close();
  const store = await openAlone(source, "export");
  const ends: number[] = [];
  for (let after = 0; ; ) {
    const page = await store.run(readPage("gateway_submissions", after));
    if (page === null) break;
    after = page.upTo;
    ends.push(after);
  }
  await store.close();
  expect(ends).toEqual([2, 3, 4]);
});

describe.each<Kind>(["a file", "PostgreSQL"])("the counts of a day in %s", (kind) => {
  const day = { day: "2026-11-22", segment: "motor" };
  const counts: readonly [ExportedTable, TableRow, TableRow, TableRow][] = [
    [
      "gateway_usage",
      { calls: 9, failed_calls: 1, succeeded: 5, failed: 4, not_sent: 0 },
      { calls: 8, failed_calls: 2, succeeded: 5, failed: 3, not_sent: 7 },
      { calls: 9, failed_calls: 2, succeeded: 5, failed: 4, not_sent: 7 },
    ],
    [
      "gateway_availability",
      { attempts: 9, failures: 1, held_back: 3 },
      { attempts: 8, failures: 2, held_back: 3 },
      { attempts: 9, failures: 2, held_back: 3 },
    ],
  ];

  it.each(counts)(
    "are the larger ones of both when %s is imported",
    async (table, there, file, larger) => {
      const place = await makePlace(kind, "place");
      const whose = {
        ...day,
        connection: "default",
        endpoint: "createApplication",
        kind: "submission",
      };
      const rowOf = (numbers: TableRow): TableRow => ({ ...whose, ...numbers });
      const tables = await openTables(place);
      await tables.insert(table, [rowOf(there)]);
      await tables.close();
      await importInto(place, [{ table, upTo: 1, rows: [exportedForm(table, rowOf(file))] }]);
      const [page] = (await pagesIn(place)).slice(-1);
      expect(page?.rows).toEqual([exportedForm(table, rowOf(larger))]);
    },
  );
});
