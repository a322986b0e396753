import { readOptions } from "./command-line.ts";
import { checkSection, writeSection } from "./document.ts";
import { machineText, sectionText } from "./resilience/report.ts";
import { helpText, readCommandLine } from "./resilience/scenario-options.ts";
import { failing } from "./resilience/scenarios/failing.ts";
import { neighbours } from "./resilience/scenarios/neighbours.ts";
import { overloadInsurer } from "./resilience/scenarios/overload-insurer.ts";
import { overloadProcess } from "./resilience/scenarios/overload-process.ts";
import { slowSenders } from "./resilience/scenarios/slow-senders.ts";

const figures = { document: "operating.md", name: "resilience" };
const all = [neighbours, failing, overloadInsurer, overloadProcess, slowSenders];

const asked = readOptions(helpText(all), () =>
  readCommandLine(process.argv.slice(2), process.env, all),
);
try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  if (process.platform !== "linux") throw new Error("It reads /proc, and so needs Linux.");
  if (asked.updateDocument) checkSection(figures);
  const texts = [machineText()];
  process.stdout.write(`${texts[0]}`);
  for (const scenario of asked.scenarios) {
    const progress = (text: string): void =>
      void process.stderr.write(`${scenario.name}: ${text}\n`);
    for (const section of await scenario.run(asked.seconds ?? scenario.seconds, progress)) {
      const text = sectionText(section);
      texts.push(text);
      process.stdout.write(text);
    }
  }
  if (asked.updateDocument) writeSection(figures, texts.join(""));
}
