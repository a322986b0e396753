import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { drawBarChart } from "./bar-chart.ts";
import type { ClientName, ClientOrder } from "./client/client-process.ts";
import { readOptions, roundsOf, wholeNumber } from "./command-line.ts";
import { endServersOnSignal, pinnedCommand, startInsurer } from "./gateway/processes.ts";
import { interleave } from "./interleave.ts";
import { describeMachine, type Machine, machineText, packageVersion } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import { rounded } from "./percentile.ts";
import { processorUs, watchUsage } from "./process-usage.ts";
import { checkPage, writePage, writeResults } from "./results.ts";
import { type Estimate, medianOf, ratioOf } from "./statistics.ts";

/** Number of calls before the measurement. V8 compiles the code during the first tens of thousands of calls. */
const WARM_UP_CALLS = 50_000;

const HELP = `npm run bench:client -- [OPTION]...

Compares the processor time of a call with the built client package, which validates requests and
answers, with undici and Node's fetch, which only parse the answer. Each runs in a separate process
on core 0. With two cores, the insurer runs on core 1. The processes take turns, after
${WARM_UP_CALLS} calls that are not counted. This needs Linux.

  --rounds N      rounds for each kind of call (default: 7)
  --calls N       calls in a round (default: 3000)
  --in-flight N   simultaneous calls (default: 50)
  --json          print the result as JSON instead of a table
  --write         write tooling/benchmarks/results/client.json, and the table and chart of
                  docs/performance.md from it
`;

const clients: readonly ClientName[] = ["undici", "client", "fetch"];
const works = [
  { name: "lookup", title: "GET lookup, 2 kB" },
  { name: "quote", title: "POST quote" },
  { name: "search", title: "GET page of 20 applications" },
];
const titles: Readonly<Record<ClientName, string>> = {
  undici: "undici request + JSON.parse",
  client: "the client, validated",
  fetch: "fetch + JSON.parse",
};

interface Measured {
  readonly work: string;
  readonly client: ClientName;
  readonly processorUs: Estimate;
  /** The processor time of fetch divided by that of this client. */
  readonly ratio: Estimate;
  /** The highest resident memory, in MB. */
  readonly memory: number;
}

interface Results {
  readonly machine: Machine;
  readonly rounds: number;
  readonly calls: number;
  readonly inFlight: number;
  readonly measured: readonly Measured[];
}

const { values, ...asked } = readOptions(HELP, () => {
  const { values: given } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      rounds: { type: "string", default: "7" },
      calls: { type: "string", default: "3000" },
      "in-flight": { type: "string", default: "50" },
    },
  });
  return {
    values: given,
    rounds: roundsOf(given),
    calls: wholeNumber("calls", given.calls),
    inFlight: wholeNumber("in-flight", given["in-flight"]),
  };
});
if (values.write) checkPage("client");
endServersOnSignal();
const results = await measure(asked.rounds, asked.calls, asked.inFlight);
process.stdout.write(values.json ? `${JSON.stringify(results, null, 2)}\n` : textOf(results));
if (values.write) {
  writeResults("client", results);
  const alternative = "Processor time of one call with the client, with undici and with fetch";
  const chart = { file: "client.svg", alternative, image: chartOf(results) };
  writePage("client", [chart], textOf(results));
}

async function measure(rounds: number, calls: number, inFlight: number): Promise<Results> {
  const machine = describeMachine({ undici: packageVersion("undici") });
  const insurer = await startInsurer();
  const running = new Map<ClientName, ChildProcess>();
  try {
    for (const name of clients) {
      const program = fileURLToPath(new URL("client/client-process.ts", import.meta.url));
      // The process starts without the export condition for sources, so that the benchmark measures the built files
      // that applications install.
      const [execPath = "", ...execArgv] = pinnedCommand(0, [process.execPath]);
      running.set(name, fork(program, [name, insurer.origin], { execPath, execArgv }));
    }
    const measured: Measured[] = [];
    for (const { name: work } of works) {
      for (const [name, child] of running) {
        process.stderr.write(`${work}: warm-up, ${titles[name]}\n`);
        await order(child, { work, calls: WARM_UP_CALLS, inFlight });
      }
      const found = await interleave([...running], rounds, async ([name, child], round) => {
        process.stderr.write(`${work}: round ${round + 1} of ${rounds}, ${titles[name]}\n`);
        const pid = child.pid ?? 0;
        const usage = watchUsage(pid);
        const before = processorUs(pid);
        await order(child, { work, calls, inFlight });
        const cost = (processorUs(pid) - before) / calls;
        return { cost, memory: usage.stop().memoryPeak };
      });
      const costs = new Map(
        [...found].map(([[name], those]) => [name, those.map(({ cost }) => cost)]),
      );
      for (const [[client], those] of found) {
        const own = costs.get(client) ?? [];
        measured.push({
          work,
          client,
          processorUs: medianOf(own),
          ratio: ratioOf(costs.get("fetch") ?? [], own),
          memory: Math.max(...those.map(({ memory }) => memory)),
        });
      }
    }
    return { machine: machine(), rounds, calls, inFlight, measured };
  } finally {
    for (const child of running.values()) child.disconnect();
    await insurer.stop();
  }
}

async function order(child: ChildProcess, what: ClientOrder): Promise<void> {
  child.send(what);
  const [{ failed }] = await once(child, "message");
  if (failed !== null) throw new Error(failed);
}

function textOf({ calls, inFlight, machine, measured, rounds }: Results): string {
  const method = `Median of ${rounds} interleaved rounds of ${calls} calls, ${inFlight} at the same time.`;
  const rows = measured.map(({ client, memory, processorUs: cost, ratio, work }) => ({
    call: works.find(({ name }) => name === work)?.title ?? work,
    with: titles[client],
    "µs per call": Math.round(cost.median),
    "fetch ÷ this": rounded(ratio.median),
    interval: `${rounded(ratio.low)} to ${rounded(ratio.high)} (${Math.floor(ratio.confidence * 100)} %)`,
    "memory MB": memory,
  }));
  return `${machineText(machine)} ${method}\n\n${markdownTable(rows)}\n`;
}

function chartOf({ machine, measured }: Results): string {
  return drawBarChart({
    title: "Processor time of one call",
    about: "In microseconds; shorter is better. Only the client validates.",
    source: machineText(machine),
    groups: works.map(({ name, title }) => ({
      name: title,
      bars: measured
        .filter(({ work }) => work === name)
        .map(({ client, processorUs: { high, low, median } }) => ({
          name: titles[client],
          value: median,
          label: `${Math.round(median)} µs`,
          interval: [low, high] as const,
          isOwn: client === "client",
        })),
    })),
  });
}
