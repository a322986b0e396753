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

/** Runs the command as its entry point does. */
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

/** A document with one operation, whose answer has a schema. */
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
/** The server of its own is lost. */
const lossy = (): string => {
  const { paths, ...rest } = JSON.parse(readFileSync(good(), "utf8"));
  const get = { ...paths["/a"].get, servers: [{ url: "https://other.example" }] };
  return documentFile({ ...rest, paths: { "/a": { get } } });
};

describe("the import", () => {
  it.each<[string, Edition, () => string, readonly string[], string, string]>([
    [
      "without a selection",
      "repository",
      good,
      [],
      "",
      "Nothing is selected. Select operations in an overlay (--overlay), or all of them with --all; docs/importing.md shows how.\n",
    ],
    [
      "without a selection, outside the repository",
      "published",
      good,
      [],
      "",
      "all of them with --all; dist/importing.md of @insurance-gateway/import-provider shows how.\n",
    ],
    [
      "of what is lossy",
      "repository",
      lossy,
      ["--all"],
      "lost      GET /a (/paths/~1a/get/servers)\n          It is sent",
      "1 loss, and nothing was written. Solve them in the overlay, or accept them with --allow-lossy.\n",
    ],
    [
      "into a folder that does not exist",
      "repository",
      good,
      ["--all", "--directory", "absent"],
      "",
      "There is no folder absent; name the packages' folder with --directory.\n",
    ],
    ["of a document that is none", "repository", () => documentFile("[]"), ["--all"], "", ".\n"],
  ])("is refused %s", async (_, edition, document, parameters, stdout, stderr) => {
    const ended = await run(edition, "--from", document(), ...parameters);
    expect(ended).toEqual({
      code: 1,
      stdout: expect.stringContaining(stdout),
      stderr: expect.stringContaining(stderr),
    });
  });

  it("writes nothing with --dry-run, and accepts losses with --allow-lossy", async () => {
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

  it("outside the repository writes a package of its own, which keeps its name", async () => {
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
  ])("only prints a document with %s", async (option, text) => {
    const documents = new URL("documents/claims.wsdl", import.meta.url).pathname;
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(temporaryFolder());
    onTestFinished(() => cwd.mockRestore());
    const { code, stderr, stdout } = await run("published", "--from", documents, option);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(text);
  });
});
