import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const manifest = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>; // As every package.json has them.
};
const programs = Object.entries(manifest.scripts).flatMap(([name, script]) =>
  /^(bench:|test:mutation$)/.test(name) ? [[name, parametersOf(script)] as const] : [],
);

/** What the script gives to Node, after its build. */
function parametersOf(script: string): readonly string[] {
  return (script.split(" && ").at(-1) ?? "").split(" ").slice(1);
}

function run(parameters: readonly string[]): readonly [number | null, string, string] {
  const { status, stderr, stdout } = spawnSync(process.execPath, parameters, {
    cwd: repository,
    encoding: "utf8",
  });
  return [status, stdout, stderr];
}

describe.each(programs)("npm run %s", (name, parameters) => {
  it("prints its help on standard output for --help", () => {
    const [status, stdout] = run([...parameters, "--help"]);
    expect([status, stdout.split("\n")[0]]).toEqual([0, expect.stringContaining(name)]);
  });

  it("refuses an unknown option with 2, the reason and its help on standard error", () => {
    const [status, stdout, stderr] = run([...parameters, "--no-such-option"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("--no-such-option");
    expect(stderr).toContain(`npm run ${name}`);
    expect(stderr).not.toContain("    at ");
  });
});
