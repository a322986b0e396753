import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** A step of a job, as far as it is read here. */
export interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

const folder = new URL("../../../../.github/workflows/", import.meta.url);

/** The text of a workflow. */
export function readWorkflow(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** The steps of a workflow by job. */
export function stepsOf(name: string): Readonly<Record<string, readonly Step[]>> {
  // What GitHub documents for workflows.
  const { jobs } = parse(readWorkflow(name)) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  return Object.fromEntries(Object.entries(jobs).map(([job, { steps }]) => [job, steps]));
}

/** A command of a step, ready for `spawn`. */
export type Command = readonly [string, ...string[]];

/**
 * The commands that a job runs while everything passes, as GitHub starts them.
 * @param snapshot - the input of that name; "" when nobody gave it
 */
export function commandsOf(name: string, job: string, snapshot = ""): readonly Command[] {
  return (stepsOf(name)[job] ?? []).flatMap((step): readonly Command[] => {
    if (step.run === undefined || !holds(step.if, snapshot)) return [];
    const variables = Object.entries(step.env ?? {}).map(
      ([variable, value]) =>
        `${variable}=${value.replace(/\$\{\{ inputs\.snapshot \}\}/, snapshot)}`,
    );
    return [["env", ...variables, "bash", "-e", "-c", step.run]];
  });
}

/** Decides a condition of the workflows here. */
function holds(condition: string | undefined, snapshot: string): boolean {
  const parts = (condition ?? "always()").split(" && ");
  return parts.every((part) => {
    if (part === "always()") return true;
    if (part === "inputs.snapshot == ''") return snapshot === "";
    if (part === "inputs.snapshot != ''") return snapshot !== "";
    throw new Error(`The tests cannot decide ${part}`);
  });
}
