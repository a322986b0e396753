import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import { providerDocument } from "@insurance-gateway/reference";
import { readProviderPackage, writeDocument } from "@insurance-gateway/reference/build";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { createSandboxServer, openRecords } from "@insurance-gateway/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { installPackage } from "../harness/provider-package.ts";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const id = "provider-f";
const documents = join(repository, "tooling/import-provider/test/documents");

let workspace: string;
let insurer: ReturnType<typeof createSandboxServer>;
let gateway: GatewayInProcess;

/** Runs a command in the workspace. If the command fails, throws an error with the command's output. */
function run(command: string, ...parts: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync(command, parts, {
    cwd: workspace,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Imports an OpenAPI document into the new provider package with the command-line tool. */
function importInto(document: string, overlay: string): string {
  return run(
    process.execPath,
    "--conditions=@insurance-gateway/source",
    "--no-warnings",
    join(repository, "tooling/import-provider/src/main.ts"),
    id,
    `--from=${document}`,
    `--overlay=${overlay}`,
  );
}

beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), "scaffold-"));
  const scaffold = join(repository, "packages", id);
  const copy = join(workspace, "packages", id);
  cpSync(scaffold, copy, {
    recursive: true,
    filter: (file) => !["dist", "node_modules", ".turbo"].includes(basename(file)),
  });
  symlinkSync(join(repository, "node_modules"), join(workspace, "node_modules"));
  symlinkSync(join(scaffold, "node_modules"), join(copy, "node_modules"));
  importInto(join(documents, "sample.openapi.yaml"), join(documents, "sample.overlay.yaml"));
  const { sandbox }: { sandbox: AnySandbox } = await import(join(copy, "src/sandbox.ts"));
  const clock = (): Date => new Date();
  insurer = createSandboxServer({ sandboxes: [sandbox], records: openRecords(":memory:"), clock });
  const address = await insurer.listen({ host: "127.0.0.1", port: 0 });
  const folder = makeGatewayFolder();
  const exported = (file: string): string =>
    `export * from ${JSON.stringify(pathToFileURL(join(copy, "src", file)).href)};`;
  installPackage(folder, id, exported("index.ts"), exported("adapter.ts"));
  const upstream = {
    baseUrl: `${address}/${id}`,
    credentials: { type: "apiKey", header: "X-Api-Key", value: { env: "KEY" } },
  };
  const settings = { tenant: "example", agentCode: "example" };
  gateway = await startInProcess(
    { providers: [{ package: id, upstream, settings }] },
    { KEY: "test" },
    { folder },
  );
});

afterAll(async () => {
  await gateway?.stop();
  await insurer?.close();
  rmSync(workspace, { recursive: true });
});

it("a new provider package with an imported OpenAPI document compiles without errors", () => {
  expect(
    run(
      join(repository, "node_modules/.bin/tsc"),
      "-p",
      join("packages", id, "tsconfig.build.json"),
    ),
  ).toBe("");
});

it("a new provider package with an imported OpenAPI document passes the tests that every provider package must pass", () => {
  const report = join(workspace, "report.json");
  run(
    join(repository, "node_modules/.bin/vitest"),
    "run",
    "--project=fast",
    "--reporter=json",
    `--outputFile=${report}`,
    `--config=${join(repository, "vitest.config.ts")}`,
    `--root=${workspace}`,
  );
  const { numPassedTests, success }: { numPassedTests: number; success: boolean } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  expect({ numPassedTests, success }).toEqual({ numPassedTests: 1, success: true });
});

it("a gateway serves the endpoints of a new provider package with an imported OpenAPI document", async () => {
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const response = await gateway.ask(`/${id}${path}`, { json: body });
    return { status: response.status, body: await response.json() };
  };
  const policy = {
    status: "ACTIVE",
    holder: { kind: "natural", taxNumber: "123456789", firstName: "Ελένη" },
    covers: [{ type: "TheftCover", sum: 1_000.5 }],
  };
  expect(await ask("/tenants/policies", policy)).toMatchObject({ status: 201, body: policy });
  expect(await ask("/tenants/policies?tax_number=123456789")).toMatchObject({
    status: 200,
    body: { items: expect.arrayContaining([expect.objectContaining(policy)]) },
  });
  const broken = { ...policy, covers: [{ type: "TheftCover", sum: "much" }] };
  expect(await ask("/tenants/policies", broken)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: "/covers/0/sum" }] },
  });
});

it("the import of a newer OpenAPI document prints the changes for the provider package's users", async () => {
  const copy = join(workspace, "packages", id);
  const contract = writeDocument(providerDocument(await readProviderPackage(copy)));
  writeFileSync(join(copy, "openapi.json"), contract);
  const edited = (name: string, ...edits: readonly (readonly [string, string])[]): string => {
    const text = readFileSync(join(documents, name), "utf8");
    for (const [found] of edits) expect(text).toContain(found);
    writeFileSync(
      join(workspace, name),
      edits.reduce((whole, [found, replacement]) => whole.replace(found, replacement), text),
    );
    return join(workspace, name);
  };
  const printed = importInto(
    edited("sample.openapi.yaml", ["[holder, covers, status]", "[holder, covers, status, starts]"]),
    edited("sample.overlay.yaml", ["$.paths['/claims'].post", "$.paths['/api-keys'].post"]),
  );
  const changes = printed.slice(printed.indexOf("For users"), printed.indexOf("What comes next"));
  expect(changes).toMatch(/must be at least a major/);
  expect(changes).toMatch(/POST \/tenants\/policies \(createPolicy\)\n {2}major .*starts/);
  expect(changes).toMatch(/POST \/claims \(reportClaim\)\n {2}major The endpoint is removed/);
  expect(changes).toMatch(/POST \/api-keys \(createApiKey\)\n {2}minor The endpoint is new/);
});
