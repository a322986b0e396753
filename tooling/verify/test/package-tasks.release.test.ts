import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { repository } from "./harness/markdown.ts";
import { type Ended, run } from "./harness/run.ts";

/** The scripts and the dependencies of a package in the small workspace. */
interface Package {
  readonly needs?: readonly string[];
  readonly build?: string;
  readonly lint?: string;
  readonly test?: string;
}

const passes = (count: number): string => `echo "ran here" && echo "${count} passed, 0 failed"`;

/** Creates a workspace of small packages with functions that change it and run its tasks. */
function workspace(packages: Readonly<Record<string, Package>>): {
  readonly change: (name: string) => void;
  /** Puts a shell script in place of turbo. The script finds the real turbo as `$TURBO`. */
  readonly replaceTurbo: (lines: string) => void;
  readonly runTasks: (...options: readonly string[]) => Promise<Ended>;
} {
  const folder = mkdtempSync(join(tmpdir(), "package-tasks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  const workspaces = Object.keys(packages);
  write("package.json", { name: "all", private: true, packageManager: "npm@10.0.0", workspaces });
  writeFileSync(join(folder, ".gitignore"), ".turbo\nbin\n");
  write("turbo.json", {
    tasks: {
      build: { dependsOn: ["^build"] },
      lint: { dependsOn: ["build"] },
      test: { dependsOn: ["build"] },
    },
  });
  for (const [name, { needs = [], ...scripts }] of Object.entries(packages)) {
    mkdirSync(join(folder, name));
    const dependencies = Object.fromEntries(needs.map((need) => [need, "1.0.0"]));
    write(`${name}/package.json`, { name, version: "1.0.0", scripts, dependencies });
  }
  const binaries = join(repository, "node_modules/.bin");
  // The variables of the turbo that runs this test are omitted, because its cache has the results of earlier runs.
  const env = {
    HOME: process.env.HOME,
    PATH: [join(folder, "bin"), binaries, process.env.PATH].join(delimiter),
    TURBO: join(binaries, "turbo"),
    TURBO_TELEMETRY_DISABLED: "1",
  };
  const command = join(repository, "tooling/verify/src/package-tasks.ts");
  return {
    change: (name) => writeFileSync(join(folder, name, "changed.txt"), "changed"),
    replaceTurbo: (lines) => {
      mkdirSync(join(folder, "bin"));
      writeFileSync(join(folder, "bin/turbo"), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    },
    runTasks: (...options) =>
      run([process.execPath, command, "lint", "test", ...options], { cwd: folder, env }),
  };
}

/** Returns the lines at the end of a run: the repeated failures and the tally. */
function end({ output }: Ended): string[] {
  return output
    .trimEnd()
    .split("\n")
    .filter((line) => /^(✗ | {2}\| |\d+ passed)/.test(line));
}

it("a test run of the workspace counts the tests of an unchanged package from turbo's cache without running them again", async () => {
  const { change, runTasks } = workspace({
    one: { test: passes(3), lint: "true" },
    two: { test: passes(4) },
  });
  const first = await runTasks();
  expect(first.code).toBe(0);
  expect(end(first)).toEqual(["8 passed, 0 failed"]);

  change("two");
  const second = await runTasks();
  expect(second.output).toContain("Cached:    2 cached, 3 total");
  expect(end(second)).toEqual(["8 passed, 0 failed"]);
});

it("a test run of the workspace reports failed packages and packages that could not run, and completes the other packages", async () => {
  const { runTasks } = workspace({
    one: {
      test: `echo "✗ one/test/a.test.ts > a" && echo "  | expected 1" && echo "2 passed, 1 failed" && exit 1`,
      lint: "echo 'file.ts: no-any' && exit 1",
    },
    broken: { build: "echo 'provider-a GET /x has no example' && exit 1", test: passes(3) },
    above: { needs: ["broken"], build: "true", test: passes(5) },
    beside: { build: "true", test: passes(4) },
    uncounted: { test: "echo 'no tests'" },
  });
  for (const first of [[], ["--first=beside"]]) {
    const ended = await runTasks(...first);
    expect(ended.code).toBe(1);
    expect(end(ended).filter((line) => !line.startsWith("  | "))).toEqual([
      "✗ above test",
      "✗ broken build",
      "✗ broken test",
      "✗ one lint",
      "✗ one/test/a.test.ts > a",
      "✗ uncounted test",
      "6 passed, 6 failed",
    ]);
    for (const reason of [
      "file.ts: no-any",
      "expected 1",
      "provider-a GET /x has no example",
      "was not run: broken#build failed",
      "no tests",
    ])
      expect(end(ended)).toContain(`  | ${reason}`);
  }
});

it("a test run of the workspace reports one failure if turbo fails although every reported task passed", async () => {
  const { replaceTurbo, runTasks } = workspace({ one: { test: passes(3) } });
  replaceTurbo(`"$TURBO" "$@"; case "$*" in *--dry*) ;; *) exit 7 ;; esac`);
  const ended = await runTasks();
  expect(ended.code).toBe(1);
  expect(end(ended)).toEqual([
    "✗ turbo",
    "  | ended with 7, but no failure was counted",
    "3 passed, 1 failed",
  ]);
});

it.each([
  ["no package has the tasks", {}],
  ["no package has tests", { test: passes(0) }],
])(
  "a test run of the workspace reports one failure if no tests are counted: %s",
  async (_, scripts) => {
    const { runTasks } = workspace({ one: scripts });
    const ended = await runTasks();
    expect(ended.code).toBe(1);
    expect(end(ended)).toEqual(["✗ turbo", "  | counted nothing", "0 passed, 1 failed"]);
  },
);

it("a test run of the workspace with `--affected` succeeds without tests if no package has changed", async () => {
  const { replaceTurbo, runTasks } = workspace({ one: { test: passes(3) } });
  // Selects the same packages as `--affected` without changes, which would need a repository with a branch.
  replaceTurbo(`exec "$TURBO" $(echo "$@" | sed s/--affected//) --filter='!one'`);
  const ended = await runTasks("--affected");
  expect(ended.code).toBe(0);
  expect(end(ended)).toEqual(["0 passed, 0 failed"]);
});
