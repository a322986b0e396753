import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

it("a faulty package does not prevent the openapi.json of other packages, and the error names provider, endpoint and field", () => {
  const root = mkdtempSync(join(tmpdir(), "openapi-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  for (const id of ["provider-c", "provider-d"]) {
    const [from, to] = [join(repository, "packages", id), join(root, "packages", id)];
    mkdirSync(to, { recursive: true });
    for (const part of ["package.json", "src"])
      cpSync(join(from, part), join(to, part), { recursive: true });
    symlinkSync(join(from, "node_modules"), join(to, "node_modules"));
  }
  symlinkSync(join(repository, "packages/core"), join(root, "packages/core"));
  for (const folder of ["docs", "packages/reference"]) mkdirSync(join(root, folder));
  const usage = join(root, "packages/provider-c/src/schemas/vehicle-usage.ts");
  const text = readFileSync(usage, "utf8");
  writeFileSync(usage, text.replace("nameEl: z.string()", "nameEl: z.literal('x')"));
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [
      "--conditions=@insurance-gateway/source",
      join(repository, "tooling/openapi/src/main.ts"),
      root,
    ],
    { encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^packages\/provider-c: .*\n- listVehicleUsages, response .*nameEl/m);
  expect(stdout).toBe("packages/reference/openapi.json\npackages/provider-d/openapi.json\n");
  expect(readFileSync(join(root, "packages/provider-d/openapi.json"), "utf8")).toBe(
    readFileSync(join(repository, "packages/provider-d/openapi.json"), "utf8"),
  );
});
