import { parseArgs } from "node:util";
import type { Scenario } from "./scenario.ts";

/** What was asked for. */
export interface Asked {
  readonly scenarios: readonly Scenario[];
  /** How long each scenario's trouble lasts; null for as long as the scenario says. */
  readonly seconds: number | null;
  readonly updateDocument: boolean;
}

/**
 * Reads the command line.
 * @throws an Error that says what is wrong with it
 */
export function readCommandLine(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
  scenarios: readonly Scenario[],
): Asked {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      only: { type: "string", multiple: true, default: [] },
      seconds: { type: "string" },
    },
  });
  const updateDocument = environment.UPDATE_DOCS === "1";
  if (updateDocument && (values.only.length > 0 || values.seconds !== undefined))
    throw new Error("The document takes whole runs: leave --only and --seconds out.");
  if (values.seconds !== undefined && !/^[1-9]\d{0,2}$/.test(values.seconds))
    throw new Error("--seconds must be a whole number from 1 to 999.");
  const chosen = scenarios.filter(
    ({ name }) => values.only.length === 0 || values.only.some((only) => name.startsWith(only)),
  );
  if (chosen.length === 0)
    throw new Error(`--only must be one of ${scenarios.map(({ name }) => name).join(", ")}.`);
  return {
    scenarios: chosen,
    seconds: values.seconds === undefined ? null : Number(values.seconds),
    updateDocument,
  };
}

/** Says how the program is used. */
export function helpText(scenarios: readonly Scenario[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  return `npm run bench:resilience -- [--only SCENARIO]... [--seconds SECONDS]

Puts the built gateway, five insurers and a load of a constant rate into processes of their own, and
measures how the gateway bears trouble. It needs Linux, and an otherwise quiet machine. A latency
counts from when a call was due, so that waiting counts. Tables go to standard output, progress to
standard error. It ends with 0, whatever it measures: these are figures, not tests.

Scenarios:
${scenarios.map(({ about, name, seconds }) => `  ${name.padEnd(width)}  ${about} (${seconds} s)`).join("\n")}

  --only SCENARIO    this one, or all whose name begins so; can be given again
  --seconds SECONDS  how long each trouble lasts
  UPDATE_DOCS=1      in the environment: puts the tables into docs/operating.md
`;
}
