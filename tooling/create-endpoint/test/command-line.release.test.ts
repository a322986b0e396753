import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import { createSandboxServer, openRecords } from "@insurance-gateway/sandbox";
import { conformanceFaults } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { har } from "./harness/recordings.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const provider = "provider-f";

let folder: string;
let copy: string;

/** Runs the command for a copy of a provider package. */
function create(...parameters: readonly string[]): {
  readonly status: number | null;
  readonly output: string;
} {
  const { status, stderr, stdout } = spawnSync(
    "npm",
    [
      "run",
      "--silent",
      "new:endpoint",
      "--",
      provider,
      ...parameters,
      "--directory",
      join(folder, "packages"),
    ],
    { cwd: repository, encoding: "utf8" },
  );
  return { status, output: stdout + stderr };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "create-endpoint-"));
  copy = join(folder, "packages", provider);
  const original = join(repository, "packages", provider);
  cpSync(original, copy, {
    recursive: true,
    filter: (path) => !["dist", "node_modules", ".turbo", "test"].includes(basename(path)),
  });
  symlinkSync(join(original, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(folder, "exchange.har"), har);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("npm run new:endpoint", () => {
  it("npm run new:endpoint writes endpoints of several kinds, with or without a recorded exchange", () => {
    const from = ["--from", join(folder, "exchange.har")];
    for (const parameters of [
      ["GET /auto/models", "--kind", "lookup", "--name", "listModels"],
      ["GET /policies/{policyId}"],
      ["POST /prices", "--kind", "quote"],
      ["DELETE /policies/{policyId}"],
      ["POST /policies/{policyId}/claims", ...from],
      ["GET /nothing", ...from],
    ])
      expect(create(...parameters)).toMatchObject({
        status: 0,
        output: expect.stringContaining("What comes next"),
      });
  });

  it("npm run new:endpoint reports an existing endpoint and does not change the endpoint's file", () => {
    const file = join(copy, "src/endpoints/list-models.ts");
    const before = readFileSync(file, "utf8");
    const { output, status } = create("GET /auto/models", "--name", "findModels");
    expect([status, output.includes("    at ")]).toEqual([1, false]);
    expect(output).toContain("declares GET /auto/models already, as listModels");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("npm run new:endpoint writes files that pass the type check", () => {
    const options = {
      extends: join(repository, "tooling/presets/tsconfig.base.json"),
      include: ["src"],
      compilerOptions: { typeRoots: [join(repository, "node_modules/@types")] },
    };
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(options));
    const { stdout } = spawnSync("tsc", ["--noEmit", "-p", copy], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it("npm run new:endpoint writes an endpoint that passes the conformance tests and answers in the sandbox", async () => {
    const module = async (path: string): Promise<object> => import(join(copy, "src", path));
    const { providerF } = Object(await module("index.ts"));
    // The template's index.ts exports the provider.
    const { sandbox } = (await module("sandbox.ts")) as { readonly sandbox: AnySandbox };
    const examples = await module("examples/index.ts");
    expect(Object.keys(examples)).toHaveLength(6);
    const subject = { id: provider, provider: providerF, examples, sandbox };
    expect(await conformanceFaults(subject)).toEqual([]);

    const records = openRecords(":memory:");
    const server = createSandboxServer({ sandboxes: [sandbox], records, clock: () => new Date() });
    try {
      const address = await server.listen({ host: "127.0.0.1", port: 0 });
      const answer = await fetch(`${address}/${provider}/auto/models`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { items: [{ code: "A1", name: "Example" }] },
      ]);
    } finally {
      await server.close();
      records.close();
    }
  });
});
