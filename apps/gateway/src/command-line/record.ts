import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { RecordedScenario } from "@insurance-gateway/adapter/sandbox";
import type { Command } from "commander";
import type { RecordedExample } from "../store/recordings.ts";
import { chooseProviders, loadDeclared } from "./declarations.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { refuse } from "./refuse.ts";
import { type OpenStore, withStore } from "./submissions.ts";

/** What the command line says about a recording. */
export interface RecordOptions {
  readonly count: number;
  readonly minutes: number;
  /** The file to write; standard output when left out. */
  readonly out?: string;
}

const LOOK_EVERY_MS = 500;
const MINUTE_MS = 60_000;

/**
 * Has running gateways record scrubbed examples of an endpoint's answers, waits for them, and writes them as scenarios of
 * a sandbox. It ends with fewer examples when its time is over or it is interrupted.
 * @param command - refuses what is wrong with the command line
 */
export async function recordAnswers(
  segment: string,
  endpoint: string,
  options: RecordOptions,
  command: Command,
): Promise<void> {
  await refuseUnknown(segment, endpoint, command);
  const examples = await withStore((open) => recorded(open, segment, endpoint, options));
  const scenarios = examples.map((example, index) => scenarioOf(endpoint, example, index + 1));
  const text = safeJson(scenarios);
  if (options.out === undefined) await print(text);
  else {
    writeFileSync(options.out, `${text}\n`);
    await print(`${scenarios.length} scenarios are in ${options.out}.`);
  }
}

async function refuseUnknown(segment: string, endpoint: string, command: Command): Promise<void> {
  const { installed } = await loadDeclared(process.env, process.cwd());
  const [found] = chooseProviders(installed, segment, command);
  if (found !== undefined && !Object.hasOwn(found.provider.endpoints, endpoint))
    refuse(command, `${segment} has no endpoint ${endpoint}.`);
}

async function recorded(
  { store }: OpenStore,
  segment: string,
  endpoint: string,
  { count, minutes }: RecordOptions,
): Promise<readonly RecordedExample[]> {
  const until = Date.now() + minutes * MINUTE_MS;
  const order = { segment, endpoint, until, wanted: count };
  if (!(await store.startRecording(order, Date.now())))
    throw new Error(`Answers to ${segment} ${endpoint} are being recorded already.`);
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  process.stderr.write(`Waiting for ${count} different answers; Ctrl-C ends it earlier.\n`);
  try {
    for (;;) {
      const examples = await store.examples(segment, endpoint);
      const isOver = examples.length >= count || Date.now() >= until || interrupted.signal.aborted;
      if (isOver) return examples;
      await setTimeout(LOOK_EVERY_MS, undefined, { signal: interrupted.signal }).catch(() => {});
    }
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await store.endRecording(segment, endpoint);
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
