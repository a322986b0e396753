import { join } from "node:path";
import { runCommand } from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApplicationsInsurer } from "../harness/applications.ts";
import {
  fillFile,
  killWhen,
  makeOperatorFolder,
  newSendables,
  type OperatorFolder,
} from "../harness/operator-folder.ts";
import { queryAt } from "../harness/store-places.ts";

/** Number of submissions, as a broker's store has after 90 days. */
const ROWS = 100_000;
/** Maximum duration of a command, in milliseconds, even on a busy machine. */
const PATIENCE = 60_000;
/** Maximum heap of a command, in MB. A command that read all rows at once would need several hundred MB. */
const HEAP_MB = 64;

const sendables = newSendables(1);
const inFile = {};
let server: RunningPostgres;
let insurer: FaultInjectingInsurer;
let folder: OperatorFolder;
let database: { readonly DATABASE_URL: string };
beforeAll(async () => {
  server = await startPostgres();
  insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
  folder = makeOperatorFolder(insurer.baseUrl);
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

// A small space for new objects keeps V8's heap small between garbage collections.
const options = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=1` };

describe(
  `the operator's commands for a store of ${ROWS} submissions`,
  () => {
    const answersCommands = async (name: "SQLite" | "PostgreSQL"): Promise<void> => {
      const place = name === "SQLite" ? inFile : database;
      const listed = await timed(
        `${name} list`,
        folder.run(place, "submissions", "list", "--json"),
      );
      const [row] = JSON.parse(listed.stdout);
      const id: string = row.submissionId;
      const look = ["--reveal", "--by=x", "--why=y"];
      // The match fields of the copied rows are random bytes, which the command cannot decrypt.
      const shown = await timed(
        `${name} show`,
        folder.run(place, "submissions", "show", id, ...look),
      );
      expect(shown).toMatchObject({ code: 1, stdout: "" });
      expect(shown.stderr).toContain(`The match fields of ${id} cannot be decrypted`);
      const again = await folder.run(place, "submissions", "show", id);
      expect(JSON.parse(again.stdout)).toMatchObject({ looks: [{ by: "x" }] });
      expect((await folder.run(place, "submissions", "reconcile", id)).code).toBe(69);
      for (const word of [["--as=failed"], ["--as=succeeded", `--insurer-id=D-${name}`]]) {
        const resolve = ["resolve", id, ...word, "--by=x", "--why=y"];
        const settled = await timed(
          `${name} resolve`,
          folder.run(place, "submissions", ...resolve),
        );
        expect(settled.code).toBe(0);
      }
      const served = await timed(`${name} serve`, folder.sendAll(place, sendables));
      expect(served).toMatchObject([{ status: 201, replayed: true }]);
    };

    it("the commands `list`, `show`, `reconcile` and `resolve` work with a large SQLite store", () =>
      answersCommands("SQLite"));

    it("`store copy` copies a large store to PostgreSQL after an interrupted copy, and back to SQLite, with limited memory", async () => {
      const place = { ...options };
      const { DATABASE_URL: url } = database;
      const copy = ["store", "copy", "--to"];
      await killWhen(folder, { place, parameters: [...copy, url] }, async () => {
        // The query fails until the command has created the table.
        await expect
          .poll(() => queryAt(url, "SELECT 1 FROM gateway_submissions LIMIT 1"), {
            interval: 5,
            timeout: PATIENCE,
          })
          .toHaveLength(1);
      });
      expect((await runCommand(folder.path, ["serve"], database)).code).toBe(78);
      const copied = await timed("copy into PostgreSQL", folder.run(place, ...copy, url));
      expect(copied).toMatchObject({ code: 0, stderr: "" });
      expect(copied.stdout).toMatch(new RegExp(`gateway_submissions +${ROWS + 1} `));
      await answersCommands("PostgreSQL");
      const back = await timed(
        "copy into SQLite",
        folder.run({ ...database, ...options }, ...copy, join(folder.path, "back")),
      );
      expect(back).toMatchObject({ code: 0, stderr: "" });
      expect(insurer.arrivals().filter(({ method }) => method === "POST")).toHaveLength(1);
    });
  },
  PATIENCE * 5,
);
