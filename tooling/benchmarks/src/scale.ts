import { join } from "node:path";
import { parseArgs } from "node:util";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { drawBarChart } from "./bar-chart.ts";
import { checkSection, writeSection } from "./document.ts";
import { wholeNumber } from "./gateway/command-line.ts";
import { generator } from "./gateway/load.ts";
import { type Amount, type Measured, measureWork } from "./gateway/measure.ts";
import {
  endServersOnSignal,
  providerBefore,
  startGatewayIn,
  startInsurer,
  type Variant,
  withoutOverload,
} from "./gateway/processes.ts";
import { type Machine, machineNow, machineText } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import { rounded } from "./percentile.ts";
import { writeCharts, writeResults } from "./results.ts";
import { buildProvider } from "./start/built-providers.ts";

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
const section = { document: "performance.md", name: "scale" };
const works = [
  { name: "generated", title: "the same endpoint each time" },
  { name: "generated-all", title: "every endpoint of the kind in turn" },
];

interface Results {
  readonly machine: Machine;
  readonly amount: Amount;
  readonly generator: string;
  /** For each work: at 7 endpoints, then at 1,484; the ratio is the first divided by this one. */
  readonly works: readonly { readonly title: string; readonly measured: readonly Measured[] }[];
}

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "20000" },
    connections: { type: "string", default: "50" },
  },
});
if (values.help) process.stdout.write(HELP);
else {
  if (values.write) checkSection(section);
  endServersOnSignal();
  const results = await measure({
    rounds: wholeNumber("rounds", values.rounds),
    requests: wholeNumber("requests", values.requests),
    connections: wholeNumber("connections", values.connections),
  });
  process.stdout.write(values.json ? `${JSON.stringify(results, null, 2)}\n` : textOf(results));
  if (values.write) {
    writeResults("scale", results);
    writeSection(section, textOf(results));
    writeCharts(new Map([["scale.svg", chartOf(results)]]));
  }
}
