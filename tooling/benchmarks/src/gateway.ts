import { startPostgres } from "@insurance-gateway/running-postgres";
import { readOptions } from "./command-line.ts";
import { addedLatency, fdatasyncMs, memoryAtRest, slowReaders } from "./gateway/figures.ts";
import { generator } from "./gateway/load.ts";
import { measureWork } from "./gateway/measure.ts";
import { type Asked, helpText, readCommandLine } from "./gateway/options.ts";
import { BARE, packageVersion, peers } from "./gateway/peers.ts";
import {
  endServersOnSignal,
  startGateway,
  startInsurer,
  type Variant,
} from "./gateway/processes.ts";
import {
  type GatewayResults,
  isComplete,
  type MeasuredRow,
  resultCharts,
  resultsText,
} from "./gateway/report.ts";
import { FROM_MEMORY, GATEWAY, ON_POSTGRES } from "./gateway/rows.ts";
import { peakOf, steadyLatency } from "./gateway/steady.ts";
import { twoProcesses } from "./gateway/two-processes.ts";
import { machineNow } from "./machine.ts";
import { checkPage, writePage, writeResults } from "./results.ts";

/** Lookups are asked for each time. */
const ASK_EACH_TIME = { answers: { freshMinutes: 0 } };

const options = readOptions(helpText(), () => readCommandLine(process.argv.slice(2)));
try {
  await main(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(asked: Asked): Promise<void> {
  if (process.platform !== "linux") throw new Error("It reads /proc, and so needs Linux.");
  if (asked.write) checkPage("gateway");
  endServersOnSignal();
  const running: { stop(): Promise<unknown> }[] = [];
  try {
    const results = await measureAll(asked, running);
    process.stdout.write(
      asked.json ? `${JSON.stringify(results, null, 2)}\n` : resultsText(results),
    );
    if (!asked.write) return;
    if (!isComplete(results)) throw new Error("Not everything was measured: nothing is written.");
    writeResults("gateway", results);
    writePage("gateway", resultCharts(results), resultsText(results));
  } finally {
    for (const one of running.toReversed()) await one.stop();
  }
}

/** Starts everything that takes part and measures it; `running` has what must be stopped, also after an error. */
async function measureAll(
  asked: Asked,
  running: { stop(): Promise<unknown> }[],
): Promise<GatewayResults> {
  const keep = <Stoppable extends { stop(): Promise<unknown> }>(one: Stoppable): Stoppable => {
    running.push(one);
    return one;
  };
  const { amount, figures } = asked;
  const chosen = peers().filter(({ name }) => asked.hasPeer(name));
  for (const { name, version } of chosen)
    if (version === null) progress(`${name} is not installed and is left out`);
  const installed = chosen.filter(({ version }) => version !== null);
  const machine = machineNow({
    ...Object.fromEntries(installed.map(({ name, version }) => [name, version ?? ""])),
    undici: packageVersion("undici"),
  });
  const insurer = keep(await startInsurer()).origin;
  const others: Variant[] = [];
  for (const peer of installed)
    others.push({ ...keep(await peer.start(insurer)), name: peer.name, token: "" });
  const [bare] = others;
  if (bare?.name !== BARE) throw new Error("The bare proxy is always installed");
  const gateway = keep(await startGateway(insurer, { name: GATEWAY, provider: ASK_EACH_TIME }));
  const everyone = [...others, gateway];

  const rest = figures.includes("rest") ? await memoryAtRest(everyone) : [];
  const special = new Map<string, Variant>([[GATEWAY, gateway]]);
  if (asked.rows.some((row) => row.gateway === FROM_MEMORY))
    special.set(FROM_MEMORY, keep(await startGateway(insurer, { name: FROM_MEMORY })));
  const postgresRows = asked.rows.filter((row) => row.gateway === ON_POSTGRES);
  const needsPostgres = postgresRows.length > 0 || figures.includes("processes");
  const postgres = needsPostgres ? await startPostgres() : null;
  if (postgres !== null) keep({ stop: () => postgres.remove() });
  if (postgres !== null && postgresRows.length > 0) {
    const settings = { name: ON_POSTGRES, databaseUrl: postgres.url };
    special.set(ON_POSTGRES, keep(await startGateway(insurer, settings)));
  }

  const rows: MeasuredRow[] = [];
  for (const row of asked.rows) {
    const own = special.get(row.gateway);
    const variants = [...(row.hasPeers ? others : [bare]), ...(own === undefined ? [] : [own])];
    rows.push({ ...row, measured: await measureWork(row.work, variants, amount, progress) });
  }

  const nginx = others.find(({ name }) => name === "nginx");
  const hasLatency = figures.includes("latency") && nginx !== undefined;
  if (hasLatency) progress("latency at one connection");
  const latency = hasLatency ? await addedLatency([nginx, bare, gateway], amount) : [];

  const hasSteady = figures.includes("steady") && generator === "wrk";
  if (figures.includes("steady") && !hasSteady) progress("latency at a rate needs wrk: left out");
  if (hasSteady) progress("latency at 70 % of the gateway's highest rate");
  const quotes = rows.find(({ name }) => name === "quote")?.measured;
  const peak = quotes?.find(({ variant }) => variant === GATEWAY)?.perSecond;
  const beside = [gateway, bare, ...(nginx === undefined ? [] : [nginx])];
  const steady = hasSteady
    ? await steadyLatency(
        beside,
        Math.round((peak ?? (await peakOf(gateway, amount))) * 0.7),
        amount.rounds,
      )
    : [];

  const readers: Record<string, number> = {};
  for (const variant of figures.includes("readers") ? everyone : []) {
    progress(`slow readers: ${variant.name}`);
    readers[variant.name] = await slowReaders(variant);
  }
  const processes =
    figures.includes("processes") && postgres !== null
      ? await twoProcesses(insurer, () => postgres.createDatabase(), amount, progress)
      : [];
  return {
    machine: machine(),
    amount,
    generator,
    fdatasyncMs: fdatasyncMs(),
    rows,
    rest: Object.fromEntries(rest),
    latency: Object.fromEntries(latency),
    steady: Object.fromEntries(steady),
    readers,
    processes,
  };
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
