import { type GatewayAnswers, sendToGateways } from "@insurance-gateway/gateway/folder";
import { EXIT_CONFIGURATION, EXIT_FAILED } from "./exit-codes.ts";
import { print } from "./output/print.ts";

/**
 * Makes every gateway process that uses the data folder reload the configuration, and prints the results. The exit code
 * is 78 if the configuration is refused, and 1 if no process uses the folder.
 */
export async function reloadConfiguration(): Promise<void> {
  const { answers, data } = await sendToGateways("reload");
  if (answers.length === 0) return reportNoGateway(data);
  for (const answer of answers) await print(resultLinesOf(answer));
  const faults = new Set(
    answers.flatMap((answer) => (answer.result === "refused" ? answer.faults : [])),
  );
  if (faults.size === 0) return;
  process.stderr.write(
    `The new configuration was refused; the gateway keeps the current one:\n${[...faults].map((fault) => `  ${fault}\n`).join("")}`,
  );
  process.exitCode = EXIT_CONFIGURATION;
}

function resultLinesOf(answer: GatewayAnswers<"reload">["answers"][number]): string {
  const { pid, result } = answer;
  const changed = result === "applied" ? `: ${answer.changed.join(", ")}` : "";
  return `process ${pid}  ${result}${changed}`;
}

/**
 * Makes every gateway process that uses the data folder drop the lookup answers in the process's memory. The exit code
 * is 1 if no process uses the folder.
 */
export async function dropLookups(): Promise<void> {
  const { answers, data } = await sendToGateways("dropLookups");
  if (answers.length === 0) return reportNoGateway(data);
  for (const { dropped, pid } of answers)
    await print(`process ${pid}  ${dropped} ${dropped === 1 ? "answer" : "answers"} dropped`);
}

function reportNoGateway(data: string): void {
  process.stderr.write(`No gateway of this machine serves from ${data}.\n`);
  process.exitCode = EXIT_FAILED;
}
