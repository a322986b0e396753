import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Edition, runCommand } from "../src/command.ts";
import { documentFile, temporaryFolder } from "./sample.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process and returns its output and exit code. */
async function run(edition: Edition, ...parameters: readonly string[]): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  const { argv, exitCode } = process;
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    }),
  );
  process.argv = ["node", "import", "provider-x", ...parameters];
  process.exitCode = 0;
  try {
    await runCommand(edition);
    return { code: process.exitCode, ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
    Object.assign(process, { argv, exitCode });
  }
}

/** Returns a document with one operation whose answer has the schema. */
function documentWith(schema: object): string {
  const content = { "application/json": { schema } };
  const responses = { 200: { description: "", content } };
  return documentFile({
    openapi: "3.1.0",
    info: { title: "Test", version: "7" },
    paths: { "/a": { get: { operationId: "readA", responses } } },
  });
}

const good = documentWith.bind(null, { type: "object", properties: { a: { type: "string" } } });
/** Returns a document whose operation has a separate server, which the import loses. */
const lossy = (): string => {
  const { paths, ...rest } = JSON.parse(readFileSync(good(), "utf8"));
  const get = { ...paths["/a"].get, servers: [{ url: "https://other.example" }] };
  return documentFile({ ...rest, paths: { "/a": { get } } });
};

describe("the import command", () => {
  it.each<[string, Edition, () => string, readonly string[], string, string]>([
    [
      "no selected operation",
      "repository",
      good,
      [],
      "",
      "No operation is selected. Select operations in an overlay (--overlay), or all with --all; docs/importing.md shows how.\n",
    ],
    [
      "no selected operation, outside the repository",
      "published",
      good,
      [],
      "",
      "all with --all; dist/importing.md of @insurance-gateway/import-provider shows how.\n",
    ],
    [
      "an import with losses",
      "repository",
      lossy,
      ["--all"],
      "lost      GET /a (/paths/~1a/get/servers)\n          Its own server",
      "1 loss, and nothing was written. Solve them in the overlay, or accept them with --allow-lossy.\n",
    ],
    [
      "a missing folder",
      "repository",
      good,
      ["--all", "--directory", "absent"],
      "",
      "There is no folder absent; name the packages' folder with --directory.\n",
    ],
    [
      "a file without an OpenAPI document",
      "repository",
      () => documentFile("[]"),
      ["--all"],
      "",
      ".\n",
    ],
  ])(
    "the import command refuses to write a package: %s",
    async (_, edition, document, parameters, stdout, stderr) => {
      const ended = await run(edition, "--from", document(), ...parameters);
      expect(ended).toEqual({
        code: 1,
        stdout: expect.stringContaining(stdout),
        stderr: expect.stringContaining(stderr),
      });
    },
  );

  it("the import command writes nothing with `--dry-run`, and with `--allow-lossy` imports a document of which parts are lost", async () => {
    const folder = temporaryFolder();
    const into = ["--directory", folder, "--all", "--allow-lossy"];
    const from = lossy();
    const dry = await run("repository", "--from", from, ...into, "--dry-run");
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toMatch(/\n1 endpoint would be imported; nothing was written\.\n$/);
    expect(existsSync(join(folder, "provider-x"))).toBe(false);
    const { code, stderr, stdout } = await run("repository", "--from", from, ...into);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/provider-x: 1 endpoint of Test 7\n {2}\d+ files written, 0 removed\n/);
    expect(stdout).toContain("npm run openapi ");
    expect(existsSync(join(folder, "provider-x/src/endpoints/read-a.ts"))).toBe(true);
  });

  it("the published import command writes a complete package and keeps the package's name in the next import", async () => {
    const folder = join(temporaryFolder(), "own");
    const from = good();
    const nameOf = (): unknown =>
      JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name;
    const importInto = (...more: readonly string[]): Promise<Ended> =>
      run("published", "--from", from, "--all", "--to", folder, ...more);
    const { stdout } = await importInto("--name", "The Insurer", "--package", "@broker/x");
    expect(nameOf()).toBe("@broker/x");
    expect(stdout).toContain("npm install ");
    expect(readFileSync(join(folder, "src/provider.ts"), "utf8")).toContain("The Insurer");
    expect((await importInto()).stdout).toContain("\n  0 files written, 0 removed\n");
    expect(nameOf()).toBe("@broker/x");
  });

  it.each([
    ["--suggest", "overlay: 1.0.0"],
    ["--translate", "openapi"],
  ])(
    "the published import command only prints a document if the option is %s",
    async (option, text) => {
      const documents = new URL("documents/claims.wsdl", import.meta.url).pathname;
      const cwd = vi.spyOn(process, "cwd").mockReturnValue(temporaryFolder());
      onTestFinished(() => cwd.mockRestore());
      const { code, stderr, stdout } = await run("published", "--from", documents, option);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(text);
    },
  );
});
