import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readOptions, wholeNumber } from "./command-line.ts";
import { send } from "./gateway/load.ts";
import { endServersOnSignal, startGateway, startInsurer } from "./gateway/processes.ts";
import { summaryOf } from "./gateway/profile-summary.ts";
import { FROM_MEMORY, GATEWAY, type Row, rows } from "./gateway/rows.ts";

/** What the gateway does without a database. */
const profiled = rows.filter(({ gateway }) => gateway === GATEWAY || gateway === FROM_MEMORY);
const names = profiled.map(({ name }) => name).join(", ");

const HELP = `npm run bench:profile -- WORK [OPTION]...

Makes a processor profile of the gateway under one work, and prints what each module and function
takes of it. WORK is one of ${names}. It needs Linux.

  --requests N    requests of the work (20000)
`;

/** A gateway that runs from its sources with the profiler on. */
const EXPECTED_PER_SECOND = 1_500;

const { requests: wanted, row } = readOptions(HELP, () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { requests: { type: "string", default: "20000" } },
  });
  const named = profiled.find(({ name }) => positionals.length === 1 && name === positionals[0]);
  if (named === undefined) throw new Error(`Name one work: ${names}.`);
  return { row: named, requests: wholeNumber("requests", values.requests) };
});
await profile(row, wanted);

async function profile({ gateway, name, work }: Row, requests: number): Promise<void> {
  endServersOnSignal();
  const folder = mkdtempSync(join(tmpdir(), "gateway-profile-"));
  const insurer = await startInsurer();
  const server = await startGateway(insurer.origin, {
    name,
    fromSources: true,
    provider: gateway === FROM_MEMORY ? {} : { answers: { freshMinutes: 0 } },
    options: ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=500"],
  });
  const { origin, token } = server;
  const perSecond = EXPECTED_PER_SECOND;
  try {
    await send({ origin, token, work, requests, connections: 50, perSecond });
  } finally {
    await server.stop();
    await insurer.stop();
  }
  for (const file of readdirSync(folder).filter((one) => one.endsWith(".cpuprofile"))) {
    const path = join(folder, file);
    process.stdout.write(`${path}\n\n${summaryOf(JSON.parse(readFileSync(path, "utf8")))}\n`);
  }
}
