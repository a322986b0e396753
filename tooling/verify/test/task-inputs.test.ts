import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { repository } from "./harness/markdown.ts";

/** What is used of turbo's plan. */
interface Task {
  readonly taskId: string;
  readonly directory: string;
  readonly dependencies: readonly string[];
  /** By path, seen from the package. */
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

/** Whether a task is run again when a file changes: one of its own, or of what it needs. */
function readsFile(taskId: string, file: string, seen = new Set<string>()): boolean {
  const task = tasks.get(taskId);
  if (task === undefined || seen.has(taskId)) return false;
  seen.add(taskId);
  const isOwn = Object.keys(task.inputs).some((path) => join(task.directory, path) === file);
  return isOwn || task.dependencies.some((dependency) => readsFile(dependency, file, seen));
}

/** Turbo repeats what a package's tests printed, unless a file changed that they read. */
describe("the tests of a package run again when a file changes that they read", () => {
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
    ["broker", "apps/gateway/src/gateway.ts"],
    ["mcp", "packages/provider-b/src/provider.ts"],
    ["broker", "packages/provider-b/src/provider.ts"],
    ["verify", "packages/provider-b/src/provider.ts"],
    ["openapi", "apps/gateway/src/gateway.ts"],
    ["openapi", "packages/provider-b/openapi.json"],
    ["openapi", "docs/catalogue.md"],
    ["create-provider", "packages/provider-b/src/provider.ts"],
    ["create-provider", "docs/adding-a-provider.md"],
    ["import-provider", "tooling/create-provider/template/package.json.template"],
    ["import-provider", "packages/core/api-report.md"],
    ["lists", "packages/provider-b/README.md"],
    ["mutation", "apps/gateway/src/gateway.ts"],
    ["mutation", "apps/gateway/test/fault-table.test.ts"],
    ["release", ".github/workflows/release.yml"],
    ["verify", "apps/gateway/src/gateway.ts"],
    ["verify", "packages/provider-b/README.md"],
    ["verify", ".changeset/config.json"],
    ["verify", "turbo.json"],
  ])("%s: %s", (name, file) => {
    expect(readsFile(`@insurance-gateway/${name}#test`, file)).toBe(true);
  });

  it.each([
    ["provider-a", "packages/provider-b/src/provider.ts"],
    ["provider-a", "apps/gateway/src/gateway.ts"],
    ["core", "packages/adapter/src/adapter.ts"],
    ["gateway", "apps/mcp/src/main.ts"],
  ])("and %s does not need %s", (name, file) => {
    expect(readsFile(`@insurance-gateway/${name}#test`, file)).toBe(false);
  });

  it("the formatter and the linter see the files outside the packages", () => {
    for (const file of ["package.json", "vitest.config.ts", "deploy/image/package.json"])
      expect(readsFile("//#lint", file)).toBe(true);
  });
});
