import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** A step of a job, as far as it is read here. */
export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const folder = new URL("../../../../.github/workflows/", import.meta.url);

/** The text of a workflow. */
export function readWorkflow(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** The steps of a workflow by job. */
export function stepsOf(name: string): Readonly<Record<string, readonly Step[]>> {
  // GitHub documents this form of workflows.
  const { jobs } = parse(readWorkflow(name)) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  return Object.fromEntries(Object.entries(jobs).map(([job, { steps }]) => [job, steps]));
}

/** A command of a step, ready for `spawn`. */
export type Command = readonly [string, ...string[]];

/** The commands that a job runs while everything passes, as GitHub starts them. */
export function commandsOf(name: string, job: string): readonly Command[] {
  return (stepsOf(name)[job] ?? []).flatMap(({ run }): readonly Command[] =>
    // npm gives provenance only to what GitHub builds.
    run === undefined ? [] : [["bash", "-e", "-c", run.replace(" --provenance", "")]],
  );
}
