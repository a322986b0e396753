import { parseArgs } from "node:util";
import { MIN_ROUNDS, roundsOf, wholeNumber } from "../command-line.ts";
import type { MeasurementSize } from "./measure.ts";
import { BARE_PROXY } from "./peers.ts";
import { type FigureName, figureNames, figuresOnRequest, type Row, rows } from "./rows.ts";

/** The options of a run. */
export interface RunOptions {
  readonly json: boolean;
  readonly write: boolean;
  readonly amount: MeasurementSize;
  readonly rows: readonly Row[];
  readonly figures: readonly FigureName[];
  /** Reports whether a proxy takes part; the bare proxy always does. */
  readonly hasPeer: (name: string) => boolean;
}

/**
 * Reads the command line.
 * @throws an Error with the reason for an invalid command line
 */
export function readCommandLine(parameters: readonly string[]): RunOptions {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      rounds: { type: "string", default: "7" },
      requests: { type: "string", default: "4000" },
      connections: { type: "string", default: "50" },
      only: { type: "string", multiple: true, default: [] },
      peers: { type: "string", default: "all" },
    },
  });
  const { only, peers, write } = values;
  const rounds = roundsOf(values);
  if (write && (only.length > 0 || peers !== "all"))
    throw new Error("--write needs a complete run, without --only and --peers.");
  const names = [...rows.map(({ name }) => name), ...figureNames, ...figuresOnRequest];
  const unknown = only.find((name) => !names.some((one) => one === name));
  if (unknown !== undefined)
    throw new Error(`--only must be one of ${names.join(", ")}; not ${unknown}.`);
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);
  const chosen = peers.split(",").map((name) => name.trim());
  return {
    json: values.json,
    write,
    amount: {
      rounds,
      requests: wholeNumber("requests", values.requests),
      connections: wholeNumber("connections", values.connections),
    },
    rows: rows.filter(({ name }) => isWanted(name)),
    figures: [
      ...figureNames.filter(isWanted),
      ...figuresOnRequest.filter((name) => only.includes(name)),
    ],
    hasPeer: (name) =>
      name === BARE_PROXY ||
      peers === "all" ||
      chosen.some((one) => one !== "" && name.includes(one)),
  };
}

/** Returns the help text of the program. */
export function helpText(): string {
  const works = rows.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`);
  return `npm run bench:gateway -- [OPTION]...

Compares the processor time of a request at the built gateway, with all features on, with proxies that
guarantee nothing. Each runs in a separate process, and they take turns. This needs Linux and wrk, which
sends the requests (apt-get install wrk), and preferably two cores or more. Proxies that are not
installed are skipped with a note. Tables go to standard output, progress to standard error. The exit
code is 0 for every result.

  --only WORK        measure only this work or figure; repeatable
  --peers NAMES      the proxies whose names contain one of these parts, separated by commas; "none" for
                     only the bare proxy, which always runs (default: all)
  --rounds N         rounds for each work (default: 7); differences under 10 % need at least 15
  --requests N       approximate requests in a round (default: 4000); wrk runs whole seconds
  --connections N    simultaneous connections (default: 50)
  --json             print the result as JSON instead of tables
  --write            write tooling/benchmarks/results/gateway.json, and the tables and charts of
                     docs/performance.md from it; needs a complete run and ${MIN_ROUNDS} rounds

Works:
${works.join("\n")}
Figures:
  rest         memory at rest
  latency      p50 of a quote beyond that of nginx, over one connection
  readers      memory while 50 slow readers get 10 MB PDFs
  requests     called functions, opened files and bytes of one request, which need no timing
  overload     good answers over 3,000 busy connections, compared with the best rate
  hostile      processor time of 2,000 hostile messages for each dialect as their size doubles; runs
               only with --only
`;
}
