import { postgresVersion, startPostgres } from "@insurance-gateway/running-postgres";
import { readOptions } from "./command-line.ts";
import { resultCharts } from "./gateway/charts.ts";
import { addedLatency, fdatasyncMs, memoryAtRest, slowReaders } from "./gateway/figures.ts";
import { hostileCosts } from "./gateway/hostile.ts";
import { generatorVersion } from "./gateway/load.ts";
import { measureWork } from "./gateway/measure.ts";
import { helpText, type RunOptions, readCommandLine } from "./gateway/options.ts";
import { measureOverload } from "./gateway/overload.ts";
import { BARE_PROXY, type Peer, peers } from "./gateway/peers.ts";
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
  resultsText,
} from "./gateway/report.ts";
import { requestCosts } from "./gateway/requests.ts";
import { FROM_MEMORY, GATEWAY, ON_POSTGRES } from "./gateway/rows.ts";
import { describeMachine, packageVersion } from "./machine.ts";
import { checkPage, writePage, writeResults } from "./results.ts";

/** Provider settings with which the gateway queries the insurer for every lookup. */
const WITHOUT_MEMORY = { answers: { freshMinutes: 0 } };

const options = readOptions(helpText(), () => readCommandLine(process.argv.slice(2)));
try {
  await main(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(options: RunOptions): Promise<void> {
  if (process.platform !== "linux")
    throw new Error("The benchmark reads /proc, and so needs Linux.");
  if (options.write) checkPage("gateway");
  endServersOnSignal();
  const running: { stop(): Promise<unknown> }[] = [];
  try {
    const results = await measureAll(options, running);
    process.stdout.write(
      options.json ? `${JSON.stringify(results, null, 2)}\n` : resultsText(results),
    );
    if (!options.write) return;
    if (!isComplete(results)) throw new Error("Not everything was measured: nothing is written.");
    writeResults("gateway", results);
    writePage("gateway", resultCharts(results), resultsText(results));
  } finally {
    for (const one of running.toReversed()) await one.stop();
  }
}

/** Registers a server to be stopped at the end, even after an error, and returns the server. */
type StopAtEnd = <Stoppable extends { stop(): Promise<unknown> }>(one: Stoppable) => Stoppable;

/**
 * Starts the servers and measures everything. The list `running` collects the servers, so that the caller stops them
 * even after an error.
 */
async function measureAll(
  options: RunOptions,
  running: { stop(): Promise<unknown> }[],
): Promise<GatewayResults> {
  const keep: StopAtEnd = (one) => {
    running.push(one);
    return one;
  };
  const { amount, figures } = options;
  const installed = installedPeers(options);
  const needsPostgres = options.rows.some((row) => row.gateway === ON_POSTGRES);
  const machine = describeMachine({
    ...Object.fromEntries(installed.map(({ name, version }) => [name, version ?? ""])),
    undici: packageVersion("undici"),
    ...generatorVersion(),
    ...(needsPostgres ? { PostgreSQL: postgresVersion() } : {}),
  });
  const insurer = keep(await startInsurer()).origin;
  const proxies = await startProxies(installed, insurer, keep);
  const everyone = [...proxies.others, proxies.gateway];
  const rest = figures.includes("rest") ? await memoryAtRest(everyone) : [];
  const postgres = needsPostgres ? await startPostgres() : null;
  if (postgres !== null) keep({ stop: () => postgres.remove() });
  const special = await startSpecial(options, insurer, postgres?.url, keep);
  const rows = await measureRows(options, proxies, special);
  const latency = await measureLatency(options, proxies);
  const readers = figures.includes("readers") ? await measureReaders(installed, insurer) : {};
  return {
    machine: machine(),
    amount,
    fdatasyncMs: fdatasyncMs(),
    rows,
    rest: Object.fromEntries(rest),
    latency: Object.fromEntries(latency),
    readers,
    requests: figures.includes("requests") ? await requestCosts(options.rows, insurer) : [],
    overload: figures.includes("overload")
      ? await measureOverload(insurer, amount.rounds, progress)
      : null,
    hostile: figures.includes("hostile") ? await hostileCosts(progress) : [],
  };
}

function installedPeers(options: RunOptions): readonly Peer[] {
  const chosen = peers().filter(({ name }) => options.hasPeer(name));
  for (const { name, version } of chosen)
    if (version === null) progress(`${name} is not installed and is left out`);
  return chosen.filter(({ version }) => version !== null);
}

/** The proxies that serve the requests of every work. */
interface Proxies {
  readonly gateway: Variant;
  readonly bare: Variant;
  readonly nginx: Variant | undefined;
  /** The proxies that are compared with the gateway, beginning with the bare proxy. */
  readonly others: readonly Variant[];
}

async function startProxies(
  installed: readonly Peer[],
  insurer: string,
  keep: StopAtEnd,
): Promise<Proxies> {
  const others: Variant[] = [];
  for (const peer of installed)
    others.push({ ...keep(await peer.start(insurer)), name: peer.name, token: "" });
  const [bare] = others;
  if (bare?.name !== BARE_PROXY) throw new Error("The bare proxy is always installed");
  const nginx = others.find(({ name }) => name === "nginx");
  const gateway = keep(await startGateway(insurer, { name: GATEWAY, provider: WITHOUT_MEMORY }));
  return { gateway, bare, nginx, others };
}

/** Starts the gateways with special settings that only some works need, and returns them by name. */
async function startSpecial(
  { rows }: RunOptions,
  insurer: string,
  databaseUrl: string | undefined,
  keep: StopAtEnd,
): Promise<ReadonlyMap<string, Variant>> {
  const special = new Map<string, Variant>();
  const isNeeded = (name: string): boolean => rows.some((row) => row.gateway === name);
  if (isNeeded(FROM_MEMORY))
    special.set(FROM_MEMORY, keep(await startGateway(insurer, { name: FROM_MEMORY })));
  if (isNeeded(ON_POSTGRES) && databaseUrl !== undefined)
    special.set(ON_POSTGRES, keep(await startGateway(insurer, { name: ON_POSTGRES, databaseUrl })));
  return special;
}

async function measureRows(
  { amount, rows }: RunOptions,
  { bare, gateway, others }: Proxies,
  special: ReadonlyMap<string, Variant>,
): Promise<readonly MeasuredRow[]> {
  const found: MeasuredRow[] = [];
  for (const row of rows) {
    const own = row.gateway === GATEWAY ? gateway : special.get(row.gateway);
    const variants = [...(row.hasPeers ? others : [bare]), ...(own === undefined ? [] : [own])];
    found.push({ ...row, measured: await measureWork(row.work, variants, amount, progress) });
  }
  return found;
}

async function measureLatency(
  { amount, figures }: RunOptions,
  { bare, gateway, nginx }: Proxies,
): ReturnType<typeof addedLatency> {
  if (!figures.includes("latency") || nginx === undefined) return new Map();
  progress("latency at one connection");
  return addedLatency([nginx, bare, gateway], amount);
}

/** Measures slow readers with new servers: a server's memory after load would hide that of the downloads. */
async function measureReaders(
  installed: readonly Peer[],
  insurer: string,
): Promise<Readonly<Record<string, number>>> {
  const starts = [
    ...installed.map((peer) => ({ name: peer.name, start: () => peer.start(insurer) })),
    { name: GATEWAY, start: () => startGateway(insurer, { name: GATEWAY }) },
  ];
  const readers: Record<string, number> = {};
  for (const { name, start } of starts) {
    progress(`slow readers: ${name}`);
    const server = await start();
    const variant = { token: "", ...server, name };
    try {
      await memoryAtRest([variant]);
      readers[name] = await slowReaders(variant);
    } finally {
      await server.stop();
    }
  }
  return readers;
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
