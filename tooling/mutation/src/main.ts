import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyOf } from "./copy.ts";
import { mutations } from "./list.ts";
import { type Mutation, mutated } from "./mutation.ts";
import { build, type Ran, runTests } from "./run-tests.ts";

const HELP = `npm run test:mutation -- [OPTION]...

Applies every mutation of the list, one at a time, in a copy of the working tree, and runs the tests
that must notice it. It fails when one of them survives.

  --only PATTERN    the mutations whose name or file matches this regular expression
  --jobs N          so many at the same time (2, or 1 with one processor)
`;

const root = fileURLToPath(new URL("../../../", import.meta.url));
if (process.argv.slice(2).some((parameter) => parameter === "--help" || parameter === "-h")) {
  process.stdout.write(HELP);
  process.exit(0);
}
const { chosen, jobs } = optionsOrEnd();
// Before anything is copied: a list that does not fit the code is at once said to be so.
for (const mutation of chosen)
  stripTypeScriptTypes(mutated(mutation, readFileSync(join(root, mutation.file), "utf8")));

const survivors: Mutation[] = [];
/** Tests that fail anyway, with the end of what they printed: they notice nothing. */
const failing = new Map<string, string>();
const waiting = [...chosen.entries()];
await Promise.all(Array.from({ length: Math.min(jobs, chosen.length) }, work));
process.stdout.write(
  `\n${chosen.length - survivors.length} of ${chosen.length} mutations were noticed\n`,
);
for (const { file, name, tests } of survivors)
  process.stdout.write(`✗ survived: ${name}\n  | ${[file, ...tests].join("\n  | ")}\n`);
for (const [test, output] of failing)
  process.stdout.write(`✗ fails without any mutation: ${test}\n${output}\n`);
process.exitCode = survivors.length + failing.size === 0 ? 0 : 1;

/** Reads the options; what is wrong with them is printed with the help, and the program ends with 2. */
function optionsOrEnd(): { readonly chosen: readonly Mutation[]; readonly jobs: number } {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exit(2);
  }
}

function readOptions(): { readonly chosen: readonly Mutation[]; readonly jobs: number } {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      jobs: { type: "string", default: String(Math.min(2, availableParallelism())) },
    },
  });
  if (!/^[1-9]\d?$/.test(values.jobs))
    throw new Error("--jobs must be a whole number from 1 to 99.");
  const only = new RegExp(values.only, "i");
  const found = mutations.filter(({ file, name }) => only.test(name) || only.test(file));
  if (found.length === 0) throw new Error(`No mutation matches ${values.only}.`);
  return { chosen: found, jobs: Number(values.jobs) };
}

async function work(): Promise<void> {
  const copy = copyOf(root);
  const passing = new Set<string>();
  try {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, mutation] = next;
      const tests: string[] = [];
      for (const test of mutation.tests)
        if (await passes(copy.path, test, passing)) tests.push(test);
      const begun = performance.now();
      const result = tests.length === 0 ? "passed" : await resultOf(copy.path, mutation, tests);
      if (result === "passed") survivors.push(mutation);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1).padStart(5);
      const word = { passed: "SURVIVED", failed: "noticed", timeout: "noticed, late" }[result];
      const number = `${index + 1} of ${chosen.length}`.padStart(9);
      process.stdout.write(`${number}  ${word.padEnd(13)} ${seconds} s  ${mutation.name}\n`);
    }
  } finally {
    copy.remove();
  }
}

async function passes(path: string, test: string, passing: Set<string>): Promise<boolean> {
  if (passing.has(test)) return true;
  if (failing.has(test)) return false;
  const { output, result } = await runTests(path, [test], null);
  if (result === "passed") passing.add(test);
  else failing.set(test, output);
  return result === "passed";
}

async function resultOf(
  path: string,
  mutation: Mutation,
  tests: readonly string[],
): Promise<Ran["result"]> {
  const file = join(path, mutation.file);
  const source = readFileSync(file, "utf8");
  writeFileSync(file, mutated(mutation, source));
  try {
    return (await runTests(path, tests, mutation.file)).result;
  } finally {
    writeFileSync(file, source);
    // What was built of the mutation must not outlive it.
    await build(path, tests, mutation.file);
  }
}
