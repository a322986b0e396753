import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "@insurance-gateway/running-postgres";
import { readOptions, wholeNumber } from "./command-line.ts";
import { type LoadResult, send } from "./gateway/load.ts";
import { warmUp } from "./gateway/measure.ts";
import { endServersOnSignal, startGateway, startInsurer } from "./gateway/processes.ts";
import { summaryOf } from "./gateway/profile-summary.ts";
import { FROM_MEMORY, ON_POSTGRES, type Row, rows } from "./gateway/rows.ts";

const names = rows.map(({ name }) => name).join(", ");

const HELP = `npm run bench:profile -- WORK [OPTION]...

Makes a processor profile of the gateway under one work, and prints what each module and function
takes of it, after a warm-up that is not counted. WORK is one of
${names}. It needs Linux.

  --requests N    about so many requests of the work (20000), for a minute at most
`;

const CONNECTIONS = 50;
/** What a gateway with the profiler on answers at first. */
const EXPECTED_PER_SECOND = 1_500;

const { requests: wanted, row } = readOptions(HELP, () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { requests: { type: "string", default: "20000" } },
  });
  const named = rows.find(({ name }) => positionals.length === 1 && name === positionals[0]);
  if (named === undefined) throw new Error(`Name one work: ${names}.`);
  return { row: named, requests: wholeNumber("requests", values.requests) };
});
await profile(row, wanted);

async function profile({ gateway, name, work }: Row, requests: number): Promise<void> {
  endServersOnSignal();
  const folder = mkdtempSync(join(tmpdir(), "gateway-profile-"));
  const insurer = await startInsurer();
  const postgres = gateway === ON_POSTGRES ? await startPostgres() : null;
  const server = await startGateway(insurer.origin, {
    name,
    fromSources: true,
    ...(postgres === null ? {} : { databaseUrl: postgres.url }),
    provider: gateway === FROM_MEMORY ? {} : { answers: { freshMinutes: 0 } },
    options: ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=500"],
  });
  const amount = { rounds: 1, requests: EXPECTED_PER_SECOND, connections: CONNECTIONS };
  let since: number;
  let sent: LoadResult;
  try {
    process.stderr.write("warm-up\n");
    const perSecond = await warmUp(work, server, amount);
    process.stderr.write("profile\n");
    since = Number(process.hrtime.bigint() / 1_000n);
    const { origin, token } = server;
    sent = await send({ origin, token, work, requests, connections: CONNECTIONS, perSecond });
  } finally {
    await server.stop();
    await postgres?.remove();
    await insurer.stop();
  }
  process.stdout.write(`${sent.requests} requests in ${sent.seconds.toFixed(1)} s\n\n`);
  for (const file of readdirSync(folder).filter((one) => one.endsWith(".cpuprofile"))) {
    const path = join(folder, file);
    const summary = summaryOf(JSON.parse(readFileSync(path, "utf8")), since);
    process.stdout.write(`${threadOf(file)}: ${path}\n\n${summary}\n`);
  }
}

/** The thread of a profile, which Node names CPU.DATE.TIME.PID.THREAD.NUMBER.cpuprofile. */
function threadOf(file: string): string {
  const thread = file.split(".")[4];
  return thread === "0" ? "The main thread" : `Thread ${thread}, which is SQLite's`;
}
