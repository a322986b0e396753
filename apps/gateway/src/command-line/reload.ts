import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Environment } from "../configuration/load.ts";
import { orderAll, type ProcessAnswer } from "../reload/control.ts";
import { EXIT_CONFIGURATION, EXIT_FAILED } from "./exit-codes.ts";
import { print } from "./output/print.ts";

/**
 * Makes every process that serves from the data folder reload, and prints the results. Ends with 78 when the
 * configuration is refused, and with 1 when nothing serves from the folder.
 */
export async function reload(): Promise<void> {
  const data = dataFolder(process.env, process.cwd());
  const answers = await orderAll(data, "reload");
  if (answers.length === 0) return nothingServes(data);
  for (const answer of answers) await print(linesOf(answer));
  const faults = new Set(
    answers.flatMap((answer) => (answer.result === "refused" ? answer.faults : [])),
  );
  if (faults.size === 0) return;
  process.stderr.write(
    `The configuration was refused, and the one before goes on:\n${[...faults].map((fault) => `  ${fault}\n`).join("")}`,
  );
  process.exitCode = EXIT_CONFIGURATION;
}

function linesOf(answer: ProcessAnswer<"reload">): string {
  const { pid, result } = answer;
  const changed = result === "applied" ? `: ${answer.changed.join(", ")}` : "";
  return `process ${pid}  ${result}${changed}`;
}

/**
 * Has every process that serves from the data folder forget the answers of lookups that are in memory. Ends with 1 when
 * nothing serves from the folder.
 */
export async function dropLookups(): Promise<void> {
  const data = dataFolder(process.env, process.cwd());
  const answers = await orderAll(data, "dropLookups");
  if (answers.length === 0) return nothingServes(data);
  for (const { dropped, pid } of answers)
    await print(`process ${pid}  ${dropped} ${dropped === 1 ? "answer" : "answers"} dropped`);
}

function nothingServes(data: string): void {
  process.stderr.write(`No gateway of this machine serves from ${data}.\n`);
  process.exitCode = EXIT_FAILED;
}

/** The data folder, also of a configuration that cannot be used: what is wrong with that, the gateway itself says. */
function dataFolder(environment: Environment, workingFolder: string): string {
  const file = resolve(workingFolder, environment.GATEWAY_CONFIG ?? "gateway.config.json");
  if (environment.GATEWAY_DATA !== undefined)
    return resolve(dirname(file), environment.GATEWAY_DATA);
  return resolve(dirname(file), dataOf(file, environment.GATEWAY_CONFIG !== undefined));
}

function dataOf(file: string, mustExist: boolean): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    if (mustExist) throw new ConfigurationError(file, ["the file cannot be read"]);
    return "./data";
  }
  try {
    const data: unknown = Reflect.get(Object(JSON.parse(text)), "data");
    return typeof data === "string" ? data : "./data";
  } catch {
    throw new ConfigurationError(file, ["the file is not JSON"]);
  }
}
