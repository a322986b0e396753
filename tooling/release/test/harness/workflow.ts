import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The fields of a workflow's step that the tests use. */
export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const folder = new URL("../../../../.github/workflows/", import.meta.url);

/** Returns the text of a workflow. */
export function readWorkflow(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** Returns the steps of a workflow by job. */
export function stepsOf(name: string): Readonly<Record<string, readonly Step[]>> {
  // GitHub documents the fields of a workflow file.
  const { jobs } = parse(readWorkflow(name)) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  return Object.fromEntries(Object.entries(jobs).map(([job, { steps }]) => [job, steps]));
}

/** A command of a step, ready for `spawn`. */
export type Command = readonly [string, ...string[]];

/** Returns the commands of a job in order, in the shell that GitHub uses. */
export function commandsOf(name: string, job: string): readonly Command[] {
  return (stepsOf(name)[job] ?? []).flatMap(({ run }): readonly Command[] =>
    // npm accepts provenance only for builds on GitHub.
    run === undefined ? [] : [["bash", "-e", "-c", run.replace(" --provenance", "")]],
  );
}
