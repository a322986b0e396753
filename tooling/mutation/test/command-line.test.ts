import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));

function run(option: string): readonly [number | null, string, string] {
  const parameters = ["--no-warnings", program, option];
  const { status, stderr, stdout } = spawnSync(process.execPath, parameters, {
    encoding: "utf8",
    timeout: 30_000,
  });
  return [status, stdout, stderr];
}

it("--help describes every option and runs no mutation", () => {
  const [status, stdout, stderr] = run("--help");
  expect([status, stderr]).toEqual([0, ""]);
  for (const text of ["npm run test:mutation", "--only", "--jobs"]) expect(stdout).toContain(text);
  expect(stdout).not.toContain("noticed\n");
});

it.each(["--no-such-option", "--jobs=0"])(
  "refuses %s with 2, the reason and the help",
  (option) => {
    const [status, stdout, stderr] = run(option);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.split("\n")[0]).toContain(option.split("=")[0]);
    expect(stderr).toContain("npm run test:mutation");
    expect(stderr).not.toContain("    at ");
  },
);
