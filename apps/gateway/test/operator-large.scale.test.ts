import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runCommand } from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApplicationsInsurer } from "./harness/applications.ts";
import { queryAt } from "./harness/store-places.ts";
import {
  fillFile,
  killWhen,
  makeTransferFolder,
  newSendables,
  type TransferFolder,
} from "./harness/transfer-places.ts";

/** So many submissions of 90 days a broker's store may have. */
const ROWS = 100_000;
/** More than a command should ever need, in milliseconds, on a machine that other programs use too. */
const PATIENCE = 60_000;
/** An export or import of everything at once would need some hundred MB. */
const HEAP_MB = 64;

const sendables = newSendables(1);
const inFile = {};
let server: RunningPostgres;
let insurer: FaultInjectingInsurer;
let folder: TransferFolder;
let database: { readonly DATABASE_URL: string };
beforeAll(async () => {
  server = await startPostgres();
  insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
  folder = makeTransferFolder(insurer.baseUrl);
  database = { DATABASE_URL: await server.createDatabase() };
  await folder.sendAll(inFile, sendables);
  fillFile(folder.file, ROWS);
});
afterAll(async () => {
  await server.remove();
  await insurer.close();
  folder.remove();
});

async function timed<Result>(what: string, work: Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work;
  process.stdout.write(`${what}: ${Math.round(performance.now() - started)} ms\n`);
  return result;
}

const options = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };

describe(
  `a store of ${ROWS} submissions`,
  () => {
    it("is exported and imported into PostgreSQL, each interrupted once, and back", async () => {
      const partial = join(folder.path, "one.partial");
      const killed = await killWhen(
        folder,
        { place: options, parameters: ["export", "one"] },
        async () => {
          while (!existsSync(partial) || statSync(partial).size < 5_000_000) await setTimeout(1);
        },
      );
      expect(killed.signal).toBe("SIGKILL");
      const exported = await timed(
        "export from SQLite",
        folder.submissions(options, "export", "one"),
      );
      expect(exported).toMatchObject({ code: 0 });
      expect(exported.stderr).toMatch(/^one\.partial is continued after [1-9]\d+ rows\.\n$/);
      expect(exported.stdout).toContain(`Exported ${ROWS + 1} submissions`);

      const place = { ...database, ...options };
      const { DATABASE_URL: url } = database;
      await killWhen(folder, { place, parameters: ["import", "one"] }, async () => {
        const rows = "SELECT to_regclass('gateway_import') IS NOT NULL AS begun";
        const [begun] = await queryAt(url, rows);
        while (!Reflect.get(Object((await queryAt(url, rows))[0] ?? begun), "begun"))
          await setTimeout(5);
        const some = "SELECT 1 FROM gateway_submissions LIMIT 1";
        while ((await queryAt(url, some)).length === 0) await setTimeout(5);
      });
      expect((await runCommand(folder.path, ["serve"], database)).code).toBe(78);
      const imported = await timed(
        "import into PostgreSQL",
        folder.submissions(place, "import", "one"),
      );
      expect(imported).toMatchObject({
        code: 0,
        stderr: "An import of this file was interrupted; it is continued.\n",
      });
      const counted = await queryAt(url, "SELECT COUNT(*)::int AS count FROM gateway_submissions");
      expect(counted).toEqual([{ count: ROWS + 1 }]);
      expect(await folder.sendAll(database, sendables)).toMatchObject([
        { status: 201, replayed: true },
      ]);

      await timed("export from PostgreSQL", folder.submissions(place, "export", "two"));
      expect(await folder.submissions(options, "import", "two")).toMatchObject({ code: 0 });
      expect(insurer.arrivals().filter(({ method }) => method === "POST")).toHaveLength(1);
    });

    it.each(["SQLite", "PostgreSQL"])("answers the other commands in %s", async (name) => {
      const place = name === "SQLite" ? inFile : database;
      const listed = await timed(`${name} list`, folder.submissions(place, "list", "--json"));
      const [row] = JSON.parse(listed.stdout);
      const id: string = row.submissionId;
      const look = ["--reveal", "--by=x", "--why=y"];
      // The copies' match fields are nobody's.
      const shown = await timed(`${name} show`, folder.submissions(place, "show", id, ...look));
      expect(shown).toMatchObject({ code: 1, stdout: "" });
      expect(shown.stderr).toContain(`The match fields of ${id} cannot be decrypted`);
      const again = await folder.submissions(place, "show", id);
      expect(JSON.parse(again.stdout)).toMatchObject({ looks: [{ by: "x" }] });
      expect((await folder.submissions(place, "reconcile", id)).code).toBe(69);
      for (const word of [["--as=failed"], ["--as=succeeded", "--insurer-id=D-000099"]]) {
        const settle = ["settle", id, ...word, "--by=x", "--why=y"];
        const settled = await timed(`${name} settle`, folder.submissions(place, ...settle));
        expect(settled.code).toBe(0);
      }
      const served = await timed(`${name} serve`, folder.sendAll(place, sendables));
      expect(served).toMatchObject([{ status: 201, replayed: true }]);
    });
  },
  PATIENCE * 5,
);
