import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  makeGatewayFolder,
  runCommand,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { readNumbers } from "./command-line.ts";
import { markdownTable } from "./markdown-table.ts";
import { percentile } from "./percentile.ts";
import { memoryOf } from "./process-usage.ts";
import { buildProvider } from "./start/built-providers.ts";

const asked = readNumbers(
  `npm run bench:start -- [OPTION]...

Measures how long the gateway takes until it serves, what memory it has then, and one short command.`,
  {
    providers: { about: "generated providers", byDefault: 23 },
    endpoints: { about: "their endpoints together", byDefault: 1_484 },
  },
);

const TURNS = 5;
const upstream = {
  baseUrl: "http://127.0.0.1:9",
  adapter: "declared",
  credentials: { type: "none" },
};

/** `npm run bench:start`: how long the gateway takes until it serves, what memory it has then, and one short command. */
const folder = makeGatewayFolder();
try {
  const scope = join(folder.path, "node_modules/@generated");
  const ids = Array.from({ length: asked.providers }, (_, index) => `insurer-${index + 1}`);
  for (const [index, id] of ids.entries())
    buildProvider(join(scope, id), id, Math.floor((asked.endpoints + index) / asked.providers));
  folder.writeConfiguration({
    providers: ids.map((id) => ({ package: `@generated/${id}`, upstream })),
  });
  const described = await measure("one description a provider");
  for (const id of ids) rmSync(join(scope, id, "dist/gateway.json"));
  const declared = await measure("a file for each endpoint and schema");
  process.stdout.write(
    `${asked.endpoints} endpoints of ${asked.providers} providers, median of ${TURNS}:\n\n${markdownTable([declared, described])}\n`,
  );
} finally {
  folder.remove();
}

/** Starts the gateway and runs the command so many times. */
async function measure(packages: string): Promise<Readonly<Record<string, string | number>>> {
  const [ready, memory, command]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const begun = performance.now();
    const gateway = await startGatewayProcess(folder.path);
    ready.push(performance.now() - begun);
    memory.push(memoryOf(gateway.child.pid ?? 0));
    await gateway.stop();
    const commanded = performance.now();
    const { code, stderr } = await runCommand(folder.path, ["providers"]);
    if (code !== 0) throw new Error(stderr);
    command.push(performance.now() - commanded);
  }
  return {
    "the gateway loads": packages,
    "ready, ms": Math.round(percentile(ready, 0.5)),
    "memory when ready, MB": percentile(memory, 0.5),
    "insurance-gateway providers, ms": Math.round(percentile(command, 0.5)),
  };
}
