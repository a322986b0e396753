import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { writeImport } from "../src/write-import.ts";
import { checkApplication } from "./calling-application.ts";
import { divided } from "./divided.ts";
import { octokitDocument } from "./octokit-document.ts";

const PROVIDERS = 23;
/** What the table of the issue allows the compiler. */
const INSTANTIATIONS = 400_000;

const repository = fileURLToPath(new URL("../../../", import.meta.url));
let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "called-"));
  symlinkSync(join(repository, "node_modules"), join(workspace, "node_modules"));
});
afterEach(() => rmSync(workspace, { recursive: true }));

it("an application that calls all operations of a published document, of 23 providers, is checked with few instantiations", () => {
  const packages = divided(octokitDocument(), PROVIDERS).map((document, index) => {
    const id = `provider-x${index + 1}`;
    const from = join(workspace, `${id}.json`);
    writeFileSync(from, JSON.stringify(document));
    const imported = importProvider({ provider: id, from, all: true });
    const folder = join(workspace, id);
    writeImport(folder, { id }, imported);
    symlinkSync(join(repository, "packages/provider-f/node_modules"), join(folder, "node_modules"));
    return { id, folder, imported };
  });

  const { calls, errors, instantiations } = checkApplication(packages);
  expect(errors).toEqual([]);
  expect(calls).toBeGreaterThan(1_400);
  expect(instantiations).toBeGreaterThan(calls);
  expect(instantiations).toBeLessThanOrEqual(INSTANTIATIONS);
}, 300_000);
