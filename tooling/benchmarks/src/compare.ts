import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  postgresVersion,
  type RunningPostgres,
  startPostgres,
} from "@insurance-gateway/running-postgres";
import { readOptions, wholeNumber } from "./command-line.ts";
import { generatorVersion } from "./gateway/load.ts";
import { type MeasuredCost, type MeasurementSize, measureWork } from "./gateway/measure.ts";
import {
  endServersOnSignal,
  type GatewaySettings,
  startGateway,
  startInsurer,
} from "./gateway/processes.ts";
import { FROM_MEMORY, ON_POSTGRES, type Row, rows } from "./gateway/rows.ts";
import { describeMachine, machineText } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import { rounded } from "./percentile.ts";

const names = rows.map(({ name }) => name).join(", ");

const HELP = `npm run bench:compare -- BASE [OPTION]...

Compares the processor time of a request at this checkout's gateway with that at another revision (a
commit, branch or tag). The two gateways run in separate processes and take turns. The revision is
checked out into a temporary folder, installed and built there. This needs Linux. The work "postgres"
starts a separate PostgreSQL server.

  --only WORK       measure only this work; repeatable:
                    ${names}
  --rounds N        rounds for each work (default: 15)
  --requests N      approximate requests in a round (default: 4000); wrk runs whole seconds
  --connections N   simultaneous connections (default: 50)
  --json            print the result as JSON instead of a table
`;

const root = fileURLToPath(new URL("../../../", import.meta.url));

const options = readOptions(HELP, () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      rounds: { type: "string", default: "15" },
      requests: { type: "string", default: "4000" },
      connections: { type: "string", default: "50" },
    },
  });
  const [revision] = positionals;
  if (revision === undefined || positionals.length > 1) throw new Error("Name one revision.");
  const { json: isJson, only } = values;
  if (!only.every((name) => rows.some((one) => one.name === name)))
    throw new Error(`--only must be one of ${names}.`);
  return {
    base: revision,
    commit: commitOf(revision),
    chosen: rows.filter(({ name }) => only.length === 0 || only.includes(name)),
    isJson,
    amount: {
      rounds: wholeNumber("rounds", values.rounds),
      requests: wholeNumber("requests", values.requests),
      connections: wholeNumber("connections", values.connections),
    },
  };
});
endServersOnSignal();
await compare(options);

async function compare({
  amount,
  base: revision,
  chosen,
  commit,
  isJson,
}: typeof options): Promise<void> {
  const needsPostgres = chosen.some(({ gateway }) => gateway === ON_POSTGRES);
  const machineAtEnd = describeMachine({
    ...generatorVersion(),
    ...(needsPostgres ? { PostgreSQL: postgresVersion() } : {}),
  });
  const checkout = mkdtempSync(join(tmpdir(), "benchmark-base-"));
  try {
    run("git", ["worktree", "add", "--detach", checkout, commit], root);
    process.stderr.write(`building ${revision}\n`);
    build(checkout);
    const results: { readonly work: string; readonly measured: readonly MeasuredCost[] }[] = [];
    for (const row of chosen) {
      const both = [{ name: revision, checkout }, { name: "this checkout" }];
      results.push({ work: row.title, measured: await measureBoth(row, both, amount) });
    }
    const machine = machineAtEnd();
    const text = `${machineText(machine)}\n\n${markdownTable(results.map(rowOf))}\n`;
    const json = { machine, base: revision, amount, results };
    process.stdout.write(isJson ? `${JSON.stringify(json, null, 2)}\n` : text);
  } finally {
    // `spawnSync` does not throw, so a failed removal cannot hide an error of the measurement.
    spawnSync("git", ["worktree", "remove", "--force", checkout], { cwd: root });
    rmSync(checkout, { recursive: true, force: true });
  }
}

/** Finds the commit of a revision; throws an Error that names a missing revision. */
function commitOf(revision: string): string {
  const command = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const { status, stdout } = spawnSync("git", command, { cwd: root, encoding: "utf8" });
  if (status === 0) return stdout.trim();
  throw new Error(`${revision} is not a commit, branch or tag of this repository.`);
}

/** Installs and builds a checkout without using files of this checkout. */
function build(folder: string): void {
  run("npm", ["run", "--silent", "bootstrap"], folder);
  run("npm", ["run", "--silent", "build"], folder);
}

/** Runs a command and shows its output as progress. */
function run(command: string, parameters: readonly string[], folder: string): void {
  execFileSync(command, [...parameters], { cwd: folder, stdio: ["ignore", 2, 2] });
}

/**
 * Measures two gateways with the same requests. With PostgreSQL, each gateway has a separate database on one server.
 */
async function measureBoth(
  { gateway: kind, work }: Row,
  both: readonly Pick<GatewaySettings, "name" | "checkout">[],
  amount: MeasurementSize,
): Promise<readonly MeasuredCost[]> {
  const running: { stop(): Promise<void> }[] = [];
  try {
    const insurer = await startInsurer();
    running.push(insurer);
    const postgres = kind === ON_POSTGRES ? await startPostgres() : null;
    if (postgres !== null) running.push({ stop: () => postgres.remove() });
    const provider = kind === FROM_MEMORY ? {} : { answers: { freshMinutes: 0 } };
    const variants = [];
    for (const settings of both) {
      const database = await databaseIn(postgres);
      const gateway = await startGateway(insurer.origin, { ...settings, ...database, provider });
      running.push(gateway);
      variants.push(gateway);
    }
    return await measureWork(
      work,
      variants,
      amount,
      (text) => void process.stderr.write(`${text}\n`),
    );
  } finally {
    for (const one of running.toReversed()) await one.stop();
  }
}

async function databaseIn(
  postgres: RunningPostgres | null,
): Promise<Pick<GatewaySettings, "databaseUrl">> {
  return postgres === null ? {} : { databaseUrl: await postgres.createDatabase() };
}

function rowOf({
  measured: [before, after],
  work,
}: {
  readonly work: string;
  readonly measured: readonly MeasuredCost[];
}): Readonly<Record<string, string | number>> {
  const { confidence = 0, high = 0, low = 0, median = 0 } = after?.ratio ?? {};
  return {
    work,
    "µs before": Math.round(before?.processorUs.median ?? 0),
    "µs here": Math.round(after?.processorUs.median ?? 0),
    "before ÷ here": rounded(median),
    interval: `${rounded(low)} to ${rounded(high)} (${Math.floor(confidence * 100)} %)`,
    "p50 ms before": before?.p50 ?? 0,
    "p50 ms here": after?.p50 ?? 0,
  };
}
