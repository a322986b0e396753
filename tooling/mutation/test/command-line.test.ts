import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("--help describes every option and runs no mutation", () => {
  const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--no-warnings", program, "--help"],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  for (const text of ["npm run test:mutation", "--only", "--jobs"]) expect(stdout).toContain(text);
  expect(stdout).not.toContain("noticed\n");
});
