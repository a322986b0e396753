import { execFileSync } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { suites } from "../src/suites.ts";
import { repository } from "./harness/markdown.ts";

/** The fields of turbo's plan that the tests use. */
interface Task {
  readonly taskId: string;
  readonly directory: string;
  readonly dependencies: readonly string[];
  /** File hashes by path relative to the package. */
  readonly inputs: Readonly<Record<string, string>>;
}

let tasks: ReadonlyMap<string, Task>;
beforeAll(() => {
  const turbo = join(repository, "node_modules/.bin/turbo");
  const plan = execFileSync(turbo, ["run", "lint", "test", "--dry=json"], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 100_000_000,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
  });
  tasks = new Map(JSON.parse(plan).tasks.map((task: Task) => [task.taskId, task]));
});

/** Reports whether turbo repeats a task after a change of a file: an input of the task, or of a task that it needs. */
function readsFile(taskId: string, file: string, seen = new Set<string>()): boolean {
  const task = tasks.get(taskId);
  if (task === undefined || seen.has(taskId)) return false;
  seen.add(taskId);
  const isOwn = Object.keys(task.inputs).some((path) => join(task.directory, path) === file);
  return isOwn || task.dependencies.some((dependency) => readsFile(dependency, file, seen));
}

/** Returns all tasks on which a task depends directly or indirectly. */
function needs(taskId: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const dependency of tasks.get(taskId)?.dependencies ?? [])
    if (!seen.has(dependency)) needs(dependency, seen.add(dependency));
  return seen;
}

/**
 * Returns the files outside a package that the package's tests name with a relative path. The table below has other
 * files.
 */
function outsideFiles(directory: string): string[] {
  const tests = globSync("test/**/*.ts", { cwd: join(repository, directory) })
    .filter((file) => !matchesGlob(file, "**/*.*.test.ts"))
    .map((file) => join(directory, file));
  const named = tests.flatMap((file) => {
    const text = readFileSync(join(repository, file), "utf8");
    const paths = text.matchAll(/(?:\bfrom |new URL\(\s*)"(\.\.\/[^"]+)"/g);
    return [...paths].map(([, path = ""]) => join(dirname(file), path));
  });
  return [...new Set(named)].filter(
    (file) =>
      !file.startsWith(`${directory}/`) &&
      !/(^|\/)(dist|node_modules)\//.test(file) &&
      statSync(join(repository, file), { throwIfNoEntry: false })?.isFile() === true,
  );
}

/** Turbo replays the output of a package's tests until one of the files that the tests read changes. */
describe("turbo's inputs of test tasks", () => {
  it.each([
    ["provider-a", "packages/provider-a/test/provider.test.ts"],
    ["provider-a", "packages/core/src/contract/endpoint.ts"],
    ["provider-a", "packages/testkit/src/conformance.ts"],
    ["provider-d", "tooling/specification/src/index.ts"],
    ["core", "tooling/specification/src/index.ts"],
    ["gateway", "docs/errors.md"],
    ["gateway", "deploy/Dockerfile"],
    ["gateway", "README.md"],
    ["gateway", "packages/provider-b/src/provider.ts"],
    ["gateway", "tooling/running-gateway/src/process.ts"],
    ["mcp", "apps/gateway/src/gateway.ts"],
    ["mcp", "docs/errors.md"],
    ["broker", "apps/gateway/src/gateway.ts"],
    ["mcp", "packages/provider-b/src/provider.ts"],
    ["broker", "packages/provider-b/src/provider.ts"],
    ["verify", "packages/provider-b/src/provider.ts"],
    ["openapi", "apps/gateway/src/gateway.ts"],
    ["openapi", "packages/provider-b/openapi.json"],
    ["openapi", "docs/catalogue.md"],
    ["create-provider", "packages/provider-b/src/provider.ts"],
    ["create-provider", "docs/adding-a-provider.md"],
    ["import-provider", "tooling/create-provider/template/provider/package.json.template"],
    ["import-provider", "packages/core/api-report.md"],
    ["lists", "packages/provider-b/README.md"],
    ["release", ".github/workflows/release.yml"],
    ["release", ".node-version"],
    ["release", "package.json"],
    ["verify", "apps/gateway/src/gateway.ts"],
    ["verify", "packages/provider-b/README.md"],
    ["verify", ".changeset/config.json"],
    ["verify", "turbo.json"],
    // The tests of verify import every built provider, even if no task depends on the provider.
    ["verify", "packages/provider-f/dist/index.js"],
  ])("turbo repeats the tests of %s after a change of %s", (name, file) => {
    expect(readsFile(`@insurance-gateway/${name}#test`, file)).toBe(true);
  });

  it("turbo repeats a package's tests after a change of a file outside the package if the tests name the file", () => {
    const named = [...tasks.values()]
      .filter(({ taskId }) => taskId.endsWith("#test"))
      .flatMap(({ directory, taskId }) =>
        outsideFiles(directory).map((file) => ({ file, taskId })),
      );
    expect(named).toContainEqual({ file: "docs/errors.md", taskId: "@insurance-gateway/mcp#test" });
    expect(named.filter(({ file, taskId }) => !readsFile(taskId, file))).toEqual([]);
  });

  it.each([
    ["provider-a", "packages/provider-b/src/provider.ts"],
    ["provider-a", "apps/gateway/src/gateway.ts"],
    ["core", "packages/adapter/src/adapter.ts"],
    ["gateway", "apps/mcp/src/main.ts"],
  ])("turbo does not repeat the tests of %s after a change of %s", (name, file) => {
    expect(readsFile(`@insurance-gateway/${name}#test`, file)).toBe(false);
  });
});

/** Turbo builds only the packages on which a task depends before it runs the task. */
describe("builds before tests", () => {
  it.each(["broker", "collections", "gateway", "mcp", "openapi", "verify"])(
    "turbo builds the gateway and the providers before it runs the tests of %s",
    (name) => {
      for (const built of ["gateway", "provider-a", "provider-b", "provider-c", "provider-e"])
        expect(needs(`@insurance-gateway/${name}#test`)).toContain(
          `@insurance-gateway/${built}#build`,
        );
    },
  );

  it.each(["test", "affected"])(
    "the workspace's test suite builds all packages before it runs their tests: %s",
    (suite) => {
      const names = suites[suite]?.map(({ name }) => name) ?? [];
      expect(names).toContain("packages");
      expect(names[0]).toBe("build");
    },
  );
});
