import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { RecordedScenario } from "@insurance-gateway/adapter/sandbox";
import { loadDeclared, type RecordedExample } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import { refuse } from "./command-parts.ts";
import { findProviders } from "./declarations.ts";
import { fetchFromOperator } from "./operator-address.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";

/** The options of the command `record`. */
export interface RecordOptions {
  readonly count: number;
  readonly minutes: number;
  /** The file to write. Default: standard output. */
  readonly out?: string;
  /** The operations address. Default: the address of the configuration. */
  readonly from?: string;
}

const QUERY_INTERVAL_MS = 500;
const MINUTE_MS = 60_000;

/**
 * Requests examples of an endpoint's answers without personal data from a running gateway, and writes the examples as
 * scenarios of a sandbox. At the time limit, or on SIGINT or SIGTERM, writes the examples that have arrived.
 * @param command - reports faults of the command line
 */
export async function recordAnswers(
  segment: string,
  endpoint: string,
  options: RecordOptions,
  command: Command,
): Promise<void> {
  await refuseUnknownEndpoint(segment, endpoint, command);
  const examples = await waitForExamples(segment, endpoint, options);
  if (examples === null) return;
  const scenarios = examples.map((example, index) => scenarioOf(endpoint, example, index + 1));
  const text = safeJson(scenarios);
  if (options.out === undefined) await print(text);
  else {
    writeFileSync(options.out, `${text}\n`);
    await print(`Wrote ${scenarios.length} scenarios to ${options.out}.`);
  }
}

async function refuseUnknownEndpoint(
  segment: string,
  endpoint: string,
  command: Command,
): Promise<void> {
  const { installed } = await loadDeclared(process.env, process.cwd());
  const [found] = findProviders(installed, segment, command);
  if (found !== undefined && !Object.hasOwn(found.provider.endpoints, endpoint))
    refuse(command, `${segment} has no endpoint ${endpoint}.`);
}

/** Waits for the requested number of examples. If no gateway answers, prints the reason and returns null. */
async function waitForExamples(
  segment: string,
  endpoint: string,
  { count, from, minutes }: RecordOptions,
): Promise<readonly RecordedExample[] | null> {
  const until = Date.now() + minutes * MINUTE_MS;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    for (let isFirst = true; ; isFirst = false) {
      const path = `examples/${segment}/${endpoint}`;
      const items = await fetchFromOperator<RecordedExample>(from, path);
      if (items === null) return null;
      if (isFirst)
        process.stderr.write(
          `Waiting for ${count} different answers; Ctrl-C ends the recording earlier.\n`,
        );
      const isOver = items.length >= count || Date.now() >= until || interrupted.signal.aborted;
      if (isOver) return items.slice(0, count);
      await setTimeout(QUERY_INTERVAL_MS, undefined, { signal: interrupted.signal }).catch(
        () => {},
      );
    }
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

function scenarioOf(
  endpoint: string,
  { body, status }: RecordedExample,
  number: number,
): RecordedScenario {
  const name = endpoint.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_").toUpperCase();
  return {
    name: `RECORDED_${name}_${number}`,
    endpoint,
    effect: `${status}, as the insurer answered, with synthetic values`,
    status,
    body: JSON.parse(body),
  };
}
