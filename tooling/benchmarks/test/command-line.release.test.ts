import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const manifest = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>; // As every package.json has them.
};
const programs = Object.entries(manifest.scripts).flatMap(([name, script]) =>
  name.startsWith("bench:") ? [[name, parametersOf(script)] as const] : [],
);

/** What programs need beside their options. */
const named: Readonly<Record<string, readonly string[]>> = {
  "bench:compare": ["HEAD"],
  "bench:profile": ["quote"],
};

/** What the script gives to Node, after its build. */
function parametersOf(script: string): readonly string[] {
  return (script.split(" && ").at(-1) ?? "").split(" ").slice(1);
}

function run(parameters: readonly string[]): readonly [number | null, string, string] {
  const { status, stderr, stdout } = spawnSync(process.execPath, parameters, {
    cwd: repository,
    encoding: "utf8",
    timeout: 30_000,
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

  it("refuses a number that is none with 2 and the name of the option", () => {
    const [, help] = run([...parameters, "--help"]);
    for (const [, option = ""] of help.matchAll(/^ +--([\w-]+) N /gm)) {
      const [status, stdout, stderr] = run([
        ...parameters,
        ...(named[name] ?? []),
        `--${option}=0`,
      ]);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(`--${option} must be a whole number`);
    }
  });
});

describe("npm run bench:compare", () => {
  const [, parameters = []] = programs.find(([name]) => name === "bench:compare") ?? [];

  it.each([[[]], [["--only", "quote", "--only", "quote"]]])(
    "refuses a revision that is none with 2, after the options %j",
    (options) => {
      const [status, stdout, stderr] = run([...parameters, "no-such-revision", ...options]);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(
        /^no-such-revision is no commit, branch or tag of this repository\.\n/,
      );
    },
  );
});
