import { parseArgs } from "node:util";
import { LEAST_ROUNDS, roundsOf, wholeNumber } from "../command-line.ts";
import type { Amount } from "./measure.ts";
import { BARE } from "./peers.ts";
import { type FigureName, figureNames, namedOnly, type Row, rows } from "./rows.ts";

/** The options of a run. */
export interface RunOptions {
  readonly json: boolean;
  readonly write: boolean;
  readonly amount: Amount;
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
    throw new Error("--write takes whole runs: leave --only and --peers out.");
  const names = [...rows.map(({ name }) => name), ...figureNames, ...namedOnly];
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
    figures: [...figureNames.filter(isWanted), ...namedOnly.filter((name) => only.includes(name))],
    hasPeer: (name) =>
      name === BARE || peers === "all" || chosen.some((one) => one !== "" && name.includes(one)),
  };
}

/** Returns the help text of the program. */
export function helpText(): string {
  const works = rows.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`);
  return `npm run bench:gateway -- [OPTION]...

Measures the processor time of a request at the built gateway with everything on, beside proxies that
guarantee nothing, each in a process of its own, in turn. It needs Linux, and wrk, which sends the
requests (apt-get install wrk); two cores or more are better. A proxy that is not installed is left
out, with a note. Tables go to standard output, progress to standard error. It ends with 0, whatever it
measures.

  --only WORK        this work or figure; can be given again
  --peers NAMES      the proxies whose names have one of these parts, separated by commas, beside the
                     bare one; "none" for no other (all)
  --rounds N         rounds of each work (7); 15 and more judge differences under 10 %
  --requests N       about so many in a round (4000): wrk runs whole seconds
  --connections N    (50)
  --json             print the result as JSON instead of tables
  --write            write tooling/benchmarks/results/gateway.json, and from it the tables and charts
                     of docs/performance.md; needs a whole run and ${LEAST_ROUNDS} rounds

Works:
${works.join("\n")}
Figures:
  rest         memory at rest
  latency      added p50 of a quote over nginx, at one connection
  readers      memory while 50 slow readers get 10 MB PDFs
  requests     functions, files and bytes of one request, without a clock
  overload     good answers over 3,000 connections that always have a request, beside the best rate
  hostile      processor time of 2,000 hostile messages for each dialect when their size doubles; only
               when it is named
`;
}
