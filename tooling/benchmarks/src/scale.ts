import { join } from "node:path";
import { parseArgs } from "node:util";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { drawBarChart } from "./bar-chart.ts";
import { readOptions, roundsOf, wholeNumber } from "./command-line.ts";
import { generator, generatorVersion } from "./gateway/load.ts";
import { type Amount, type Measured, measureWork } from "./gateway/measure.ts";
import {
  endServersOnSignal,
  providerBefore,
  startGatewayIn,
  startInsurer,
  type Variant,
  withoutOverload,
} from "./gateway/processes.ts";
import { type Machine, machineNow, machineText, packageVersion } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import { rounded } from "./percentile.ts";
import { checkPage, writePage, writeResults } from "./results.ts";
import { buildProvider } from "./start/built-providers.ts";
import { verdict } from "./statistics.ts";

const HELP = `npm run bench:scale -- [OPTION]...

Measures a request at a gateway with 1,484 generated endpoints of 23 providers beside the same request
at one with 7, each in a process of its own, in turn. It needs Linux, and builds the endpoints first.

  --rounds N      rounds of each kind of request (15)
  --requests N    about so many in a round (20000): wrk runs whole seconds
  --connections N (50)
  --json          print the result as JSON instead of a table
  --write         write tooling/benchmarks/results/scale.json, and from it the table and the chart of
                  docs/performance.md
`;

const MANY = { providers: 23, endpoints: 1_484 };
const FEW = { providers: 1, endpoints: 7 };
const WANTED = 1.05;
const works = [
  { title: "one quote each time", few: "generated", many: "generated" },
  { title: "every quote in turn: 2 and 368", few: "generated-few", many: "generated-many" },
];

interface Results {
  readonly machine: Machine;
  readonly amount: Amount;
  readonly generator: string;
  /** For each work: at 7 endpoints, then at 1,484; the ratio is the first divided by this one. */
  readonly works: readonly { readonly title: string; readonly measured: readonly Measured[] }[];
}

const { amount: asked, values } = readOptions(HELP, () => {
  const { values: given } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      rounds: { type: "string", default: "15" },
      requests: { type: "string", default: "20000" },
      connections: { type: "string", default: "50" },
    },
  });
  const amount = {
    rounds: roundsOf(given),
    requests: wholeNumber("requests", given.requests),
    connections: wholeNumber("connections", given.connections),
  };
  return { values: given, amount };
});
if (values.write) checkPage("scale");
endServersOnSignal();
const results = await measure(asked);
process.stdout.write(values.json ? `${JSON.stringify(results, null, 2)}\n` : textOf(results));
if (values.write) {
  writeResults("scale", results);
  const alternative = "Processor time of one request at 7 and at 1,484 endpoints";
  const chart = { file: "scale.svg", alternative, image: chartOf(results) };
  writePage("scale", [chart], textOf(results));
}

/** A gateway before generated providers, which are built first. */
async function startGenerated(
  insurer: string,
  { endpoints, providers }: typeof MANY,
): Promise<Variant> {
  const folder = makeGatewayFolder();
  const name = `${endpoints.toLocaleString("en")} endpoints`;
  process.stderr.write(`building ${name}\n`);
  for (let number = 0; number < providers; number += 1) build(folder, number, endpoints, providers);
  folder.writeConfiguration({
    ...withoutOverload,
    providers: Array.from({ length: providers }, (_, number) => ({
      package: `@generated/insurer-${number + 1}`,
      ...providerBefore(insurer),
    })),
  });
  return startGatewayIn(folder, { name });
}

function build(folder: GatewayFolder, number: number, endpoints: number, providers: number): void {
  const id = `insurer-${number + 1}`;
  const path = join(folder.path, "node_modules/@generated", id);
  buildProvider(path, id, Math.floor((endpoints + number) / providers));
}

async function measure(amount: Amount): Promise<Results> {
  const machine = machineNow({ undici: packageVersion("undici"), ...generatorVersion });
  const running: { stop(): Promise<void> }[] = [];
  try {
    const insurer = await startInsurer();
    running.push(insurer);
    const variants: Variant[] = [];
    for (const size of [FEW, MANY]) {
      const variant = await startGenerated(insurer.origin, size);
      running.push(variant);
      variants.push(variant);
    }
    const found: Results["works"][number][] = [];
    for (const { few, many, title } of works) {
      const work = (variant: Variant): string => (variant === variants[0] ? few : many);
      const progress = (text: string): void => void process.stderr.write(`${text}\n`);
      found.push({ title, measured: await measureWork(work, variants, amount, progress) });
    }
    return { machine: machine(), amount, generator, works: found };
  } finally {
    for (const one of running.toReversed()) await one.stop();
  }
}

function textOf({ amount, generator: sender, machine, works: measured }: Results): string {
  const method = `Median of ${amount.rounds} interleaved rounds of about ${amount.requests} requests over ${amount.connections} connections, sent by ${sender}.`;
  const rows = measured.map(({ measured: [few, many], title }) => {
    // How often the smaller one's cost: the ratio of the result is the other way round.
    const { confidence = 0, high = 0, low = 0, median = 0 } = many?.ratio ?? {};
    return {
      requests: title,
      "µs at 7 endpoints": Math.round(few?.processorUs.median ?? 0),
      "µs at 1,484": Math.round(many?.processorUs.median ?? 0),
      "1,484 ÷ 7": rounded(1 / median),
      interval: `${rounded(1 / high)} to ${rounded(1 / low)} (${Math.floor(confidence * 100)} %)`,
      wanted: `≤ ${WANTED}`,
      reached: many === undefined ? "–" : verdict(many.ratio, (one) => 1 / one <= WANTED),
    };
  });
  return `${machineText(machine)} ${method}\n\n${markdownTable(rows)}\n`;
}

function chartOf({ machine, works: measured }: Results): string {
  return drawBarChart({
    title: "Processor time of one request, by how many endpoints the gateway serves",
    about: "In microseconds; as long as each other is best.",
    source: machineText(machine),
    groups: measured.map(({ measured: those, title }) => ({
      name: title,
      bars: those.map(({ processorUs: { high, low, median }, variant }) => ({
        name: variant,
        value: median,
        label: `${Math.round(median)} µs`,
        interval: [low, high] as const,
        isOwn: true,
      })),
    })),
  });
}
