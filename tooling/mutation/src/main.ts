import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { copyOf } from "./copy.ts";
import { drawnFaults } from "./drawn.ts";
import { type Fault, tryFault } from "./fault.ts";
import { listedFaults } from "./listed.ts";

const HELP = `npx pnpm --filter @insurance-gateway/mutation mutate [stryker [--mutate GLOB]...]
npx pnpm --filter @insurance-gateway/mutation mutate faults [--only PATTERN]
npx pnpm --filter @insurance-gateway/mutation mutate drawn --seed TEXT [--skip N] [--count N] GLOB...

Puts small faults into a copy of the code, one at a time, and prints the faults that no test notices.
  stryker  every fault that Stryker makes in the pure code, or in the files of the globs, with the tests of
           their package. This takes hours. Without --mutate, a later run tries only changed code.
  faults   the faults of tooling/mutation/faults.json, which no tool makes: SQL, times, crashes. Each names
           the tests that must notice it. The exit code is 1 if no test notices a fault.
  drawn    a random sample of Stryker's faults in the source files of the globs, chosen by the seed. The
           fast tests of the file's folder run first, then all that import the file. --count: the size of
           the sample (default: 40). --skip: the number of faults of the same seed to skip (default: 0).
--seconds  maximum time for each run of tests (default: 300). A fault that no test has noticed by then is
           undecided.
`;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "40" },
    help: { type: "boolean", short: "h" },
    mutate: { type: "string", multiple: true },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "300" },
    seed: { type: "string" },
    skip: { type: "string", default: "0" },
  },
});
const [kind = "stryker", ...globs] = positionals;
const isAsked = kind === "drawn" ? values.seed !== undefined : ["stryker", "faults"].includes(kind);
if (values.help || !isAsked) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
if (kind === "stryker") await runStryker();
else await tryFaults(await chosenFaults());

async function runStryker(): Promise<void> {
  const { mutate } = values;
  const configFile = "tooling/mutation/stryker.config.json";
  const chosen = mutate === undefined ? { incremental: true } : { mutate };
  await new Stryker({ configFile, ...chosen }).runMutationTest();
}

async function tryFaults(faults: readonly Fault[]): Promise<void> {
  const copy = copyOf(root);
  const missed: string[] = [];
  try {
    for (const [index, fault] of faults.entries()) {
      const begun = performance.now();
      const { verdict, reason } = await tryFault(copy.path, fault, Number(values.seconds));
      if (verdict !== "noticed") missed.push(`✗ ${verdict}: ${fault.name}`);
      const seconds = Math.round((performance.now() - begun) / 1_000);
      process.stdout.write(
        `${index + 1} of ${faults.length}, ${seconds} s  ${fault.name}\n    ${verdict}: ${reason}\n`,
      );
    }
  } finally {
    copy.remove();
  }
  const noticed = faults.length - missed.length;
  process.stdout.write(
    `${["", ...missed, `${noticed} of ${faults.length} faults were noticed`].join("\n")}\n`,
  );
  process.exitCode = kind === "faults" && missed.length > 0 ? 1 : 0;
}

async function chosenFaults(): Promise<readonly Fault[]> {
  const { count, only, seed = "", skip } = values;
  if (kind === "faults")
    return listedFaults(root).filter(({ name }) => new RegExp(only, "i").test(name));
  const files = globSync(globs, { cwd: root }).filter((file) => /(?<!\.d)\.ts$/.test(file));
  return (await drawnFaults(root, files.toSorted(), seed)).slice(
    Number(skip),
    Number(skip) + Number(count),
  );
}
