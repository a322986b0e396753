import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import type { Fault } from "./fault.ts";

const no = (): boolean => false;
const silent = (): void => {};
const logger = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};

/** Lists the faults that Stryker would make in source files, in an order that the seed determines. */
export async function drawnFaults(
  root: string,
  files: readonly string[],
  seed: string,
): Promise<readonly Fault[]> {
  const texts = new Map(files.map((name) => [name, readFileSync(join(root, name), "utf8")]));
  const { mutants } = await new Instrumenter(logger).instrument(
    [...texts].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, ignorers: [], excludedMutations: [] },
  );
  return mutants
    .filter(({ status }) => status !== "Ignored")
    .map((mutant) => {
      const text = texts.get(mutant.fileName) ?? "";
      const [start, end] = [mutant.location.start, mutant.location.end].map(
        ({ column, line }) => startOfLine(text, line) + column,
      );
      const by = mutant.replacement;
      const short = `${text.slice(start, end)} → ${by}`.replaceAll(/\s+/g, " ").slice(0, 120);
      const name = `${mutant.fileName}:${mutant.location.start.line + 1} ${short}`;
      return { name, file: mutant.fileName, text: text.slice(0, start) + by + text.slice(end) };
    })
    .map((fault) => [hash("sha256", `${seed} ${fault.name}`), fault] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, fault]) => fault);
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) at = text.indexOf("\n", at) + 1;
  return at;
}
