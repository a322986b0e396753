import { readdirSync, readFileSync } from "node:fs";
import { validateWorkflow } from "@action-validator/core";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const folder = new URL("../../../.github/workflows/", import.meta.url);
const root = new URL("../../../", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

/** The parts of a workflow that the tests read. */
interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }>
  >;
}

describe.each(readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)))(
  "the workflow %s",
  (name) => {
    const workflow: Workflow = parse(read(name));
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

    it("is one that GitHub accepts", () => {
      expect(validateWorkflow(read(name)).errors).toEqual([]);
      const wrong = read(name).replace("runs-on:", "run-on:");
      expect(validateWorkflow(wrong).errors).not.toEqual([]);
    });

    it("pins every action to a commit", () => {
      for (const { uses } of steps.filter((step) => step.uses !== undefined))
        expect(uses).toMatch(/^[\w-]+(\/[\w.-]+)+@[0-9a-f]{40}$/);
    });

    it("runs scripts that the repository has", () => {
      const named = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run ([\w:-]+)/g)]);
      expect(named.length).toBeGreaterThan(0);
      for (const [, script] of named) expect(Object.keys(scripts)).toContain(script);
    });
  },
);
