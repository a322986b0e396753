import { spawnSync } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const id = "provider-y";
const workspace = mkdtempSync(join(tmpdir(), "difficult-insurer-"));
const folder = join(workspace, "packages", id);

/** Runs a command in the workspace. If the command fails, throws an error with the command's output. */
function run(command: string, parts: readonly string[], input = ""): string {
  const { status, stderr, stdout } = spawnSync(command, parts, {
    cwd: workspace,
    encoding: "utf8",
    input,
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

function runTool(tool: string, ...parts: readonly string[]): string {
  const program = join(repository, "tooling", tool, "src/main.ts");
  return run(process.execPath, ["--conditions=@insurance-gateway/source", program, ...parts]);
}

/** Returns the code blocks of docs/a-difficult-insurer.md in a language. */
function blocksOf(language: string): readonly string[] {
  const page = readFileSync(join(repository, "docs/a-difficult-insurer.md"), "utf8");
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return [...found].map(([, text = ""]) => text);
}

/** Creates the provider package as docs/a-difficult-insurer.md describes. */
function writePackage(): void {
  mkdirSync(join(workspace, "packages"));
  symlinkSync(join(repository, "node_modules"), join(workspace, "node_modules"));
  runTool("create-provider", id, "--name", "Provider Y");
  symlinkSync(join(repository, "packages/provider-c/node_modules"), join(folder, "node_modules"));
  for (const block of blocksOf("ts")) {
    const [, path = "", text = ""] = /^\/\/ (packages\/\S+)\n(.*)$/s.exec(block) ?? [];
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  runTool("lists", id);
  run("git", ["apply", "-"], blocksOf("diff").join(""));
}

let gateway: GatewayInProcess;
beforeAll(async () => {
  writePackage();
  const gatewayFolder = makeGatewayFolder();
  const installed = join(gatewayFolder.path, "node_modules", id);
  mkdirSync(installed, { recursive: true });
  const exported = ["index", "adapter", "sandbox"].map((name) => {
    const source = pathToFileURL(join(folder, "src", `${name}.ts`)).href;
    writeFileSync(join(installed, `${name}.js`), `export * from ${JSON.stringify(source)};`);
    return [name === "index" ? "." : `./${name}`, `./${name}.js`] as const;
  });
  const exports = { ...Object.fromEntries(exported), "./package.json": "./package.json" };
  writeFileSync(join(installed, "package.json"), JSON.stringify({ type: "module", exports }));
  gateway = await startInProcess(
    { providers: [{ package: id, upstream: "sandbox" }], reference: { served: false } },
    {},
    { folder: gatewayFolder },
  );
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(workspace, { recursive: true });
});

function call(path: string, body?: object): Promise<Response> {
  return fetch(`${gateway.address}/${id}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("the example package in docs/a-difficult-insurer.md", () => {
  it("the provider package of docs/a-difficult-insurer.md has at most 20 files and 600 lines", () => {
    const files = globSync(["*", "src/**/*.ts", "test/**/*.ts"], {
      cwd: folder,
      exclude: ["node_modules"],
      withFileTypes: true,
    }).filter((entry) => entry.isFile());
    const lines = files.map(({ name, parentPath }) =>
      readFileSync(join(parentPath, name), "utf8").trimEnd().split("\n"),
    );
    expect(files.length).toBeLessThanOrEqual(20);
    expect(lines.flat().length).toBeLessThanOrEqual(600);
  });

  it("the provider package of docs/a-difficult-insurer.md compiles", () => {
    const config = join(workspace, "tsconfig.json");
    const base = join(repository, "tooling/presets/tsconfig.base.json");
    writeFileSync(config, JSON.stringify({ extends: base, include: ["packages"] }));
    expect(run(join(repository, "node_modules/.bin/tsc"), ["-p", config])).toBe("");
  });

  it("the code of docs/a-difficult-insurer.md has the repository's format", () => {
    const { stdout } = spawnSync(
      join(repository, "node_modules/.bin/biome"),
      ["format", "--stdin-file-path=packages/provider-y/src/page.ts"],
      { cwd: repository, encoding: "utf8", input: blocksOf("ts").join("\n") },
    );
    expect(blocksOf("ts").join("\n")).toBe(stdout);
  });

  it("the provider package of docs/a-difficult-insurer.md passes its own tests and the conformance tests", () => {
    const report = join(workspace, "report.json");
    run(join(repository, "node_modules/.bin/vitest"), [
      "run",
      "--project=fast",
      "--reporter=default",
      "--reporter=json",
      `--outputFile=${report}`,
      `--config=${join(repository, "vitest.config.ts")}`,
      `--root=${workspace}`,
    ]);
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      numPassedTests: 3,
      success: true,
    });
  });

  it("a gateway with the package of docs/a-difficult-insurer.md submits an application, and finds the application by its plate", async () => {
    const body = { startDate: "2026-12-01", plateNumber: "ΙΚΥ 1234", holderName: "Ήρα" };
    const created = await call("/applications", body);
    expect(created.status).toBe(201);
    // The type is not checked here, because the next line compares the application.
    const application = (await created.json()) as { readonly applicationId: string };
    expect(application).toMatchObject(body);
    const found = await call(`/applications?plateNumber=${encodeURIComponent(body.plateNumber)}`);
    expect(await found.json()).toHaveProperty("items.0", application);
    const policy = await call(`/applications/${application.applicationId}/policy`);
    expect([policy.status, policy.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(await policy.text()).toMatch(/^%PDF-.*%%EOF\s*$/s);
  });
});
