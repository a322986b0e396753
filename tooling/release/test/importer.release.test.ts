import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishedPackages } from "../src/workspace.ts";
import { type LocalRegistry, startRegistry } from "./harness/registry.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const documents = join(repository, "tooling/import-provider/test/documents");
const importer = "@insurance-gateway/import-provider";
/** The packages that a user outside this repository installs, directly or indirectly. */
const needed = [
  importer,
  "core",
  "adapter",
  "reference",
  "testkit",
  "sandbox",
  "gateway",
  "cli",
].map((name) => (name === importer ? name : `@insurance-gateway/${name}`));

let folder: string;
let registry: LocalRegistry;
let environment: NodeJS.ProcessEnv;
let gateway: { readonly child: ChildProcess; readonly address: string } | undefined;

/** Runs a program to its end and throws with its output if it fails. */
function run(cwd: string, program: string, ...parameters: readonly string[]): string {
  const ended = spawnSync(program, parameters, { cwd, env: environment, encoding: "utf8" });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${program} ${parameters.join(" ")} failed:\n${ended.stdout}\n${ended.stderr}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "importer-"));
  registry = await startRegistry(join(folder, "registry"));
  const configuration = join(folder, "npmrc");
  const { host } = new URL(registry.address);
  writeFileSync(
    configuration,
    `registry=${registry.address}\n//${host}/:_authToken=anybody\naudit=false\nfund=false\n`,
  );
  environment = { ...registry.environment, NPM_CONFIG_USERCONFIG: configuration };
  for (const found of publishedPackages(repository)) {
    if (!needed.includes(found.name)) continue;
    const tarball = join(folder, `${found.path.replaceAll("/", "-")}.tgz`);
    run(found.folder, "pnpm", "pack", "--out", tarball);
    run(folder, "npm", "publish", tarball);
  }
});
afterAll(async () => {
  if (gateway !== undefined) {
    const ended = once(gateway.child, "close");
    gateway.child.kill();
    await ended;
  }
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the importer from the registry in an empty folder", () => {
  let outside: string;
  let provider: string;

  beforeAll(() => {
    outside = join(folder, "outside");
    provider = join(outside, "provider-f");
    mkdirSync(outside);
    cpSync(join(documents, "sample.openapi.yaml"), join(outside, "insurer.yaml"));
    cpSync(join(documents, "sample.overlay.yaml"), join(outside, "insurer.overlay.yaml"));
  });

  /** Runs the published command. */
  function imports(...parameters: readonly string[]): string {
    const options = ["--from", "insurer.yaml", ...parameters];
    return run(outside, "npx", "--yes", importer, "provider-f", ...options);
  }

  it("the installed importer suggests an overlay for an OpenAPI document", () => {
    expect(imports("--suggest")).toContain("x-insurance-gateway:");
  });

  it("the installed importer writes a package that installs, builds and passes the conformance tests", () => {
    const overlay = ["--overlay", "insurer.overlay.yaml"];
    const printed = imports(...overlay, "--to", "./provider-f", "--package", "@broker/provider-f");
    expect(printed).toMatch(/^provider-f: \d+ endpoints of /m);
    const manifest = readFileSync(join(provider, "package.json"), "utf8");
    expect(manifest).not.toMatch(/catalog:|workspace:|presets/);
    run(provider, "npm", "install");
    expect(run(provider, "npm", "test")).toMatch(/1 passed/);
    run(provider, "npm", "run", "build");
    expect(JSON.parse(readFileSync(join(provider, "openapi.json"), "utf8"))).toMatchObject({
      openapi: "3.1.1",
      paths: { "/provider-f/tenants/policies": { get: {}, post: {} } },
    });
  });

  it("the installed importer keeps the package name in a second import and lists the changes for the package's users", () => {
    const document = readFileSync(join(outside, "insurer.yaml"), "utf8");
    const found = "[holder, covers, status]";
    expect(document).toContain(found);
    writeFileSync(
      join(outside, "insurer.yaml"),
      document.replace(found, "[holder, covers, status, starts]"),
    );
    const printed = imports("--overlay", "insurer.overlay.yaml");
    expect(printed).toMatch(/must be at least a major/);
    expect(readFileSync(join(provider, "package.json"), "utf8")).toContain("@broker/provider-f");
    writeFileSync(join(outside, "insurer.yaml"), document);
    expect(imports("--overlay", "insurer.overlay.yaml")).toContain("no changes");
  });

  it("the written client calls the imported provider through the published gateway", async () => {
    const application = join(outside, "application");
    mkdirSync(application);
    writeFileSync(join(application, "package.json"), '{ "private": true, "type": "module" }');
    run(provider, "npm", "pack", "--pack-destination", application);
    const packages = ["@insurance-gateway/cli", "./broker-provider-f-1.0.0.tgz"];
    run(application, "npm", "install", "@insurance-gateway/core", ...packages);
    const any = { host: "127.0.0.1", port: 0 };
    writeFileSync(
      join(application, "gateway.config.json"),
      JSON.stringify({
        listen: any,
        operations: any,
        providers: [{ package: "@broker/provider-f", upstream: "sandbox" }],
      }),
    );
    gateway = await startGateway(application);
    const token = run(application, "npx", "insurance-gateway", "token").trim();
    writeFileSync(
      join(application, "call.mjs"),
      `import { createGateway } from "@insurance-gateway/core";
import { providerF } from "@broker/provider-f";
const gateway = createGateway({ baseUrl: "${gateway.address}", token: "${token}" });
const client = gateway.provider(providerF);
const holder = { kind: "natural", taxNumber: "123456789", firstName: "Ελένη" };
const body = { status: "ACTIVE", holder, covers: [{ type: "TheftCover", sum: 1000.5 }] };
const created = await client.createPolicy({ body });
console.log(JSON.stringify(created));
`,
    );
    expect(JSON.parse(run(application, process.execPath, "call.mjs"))).toMatchObject({
      status: "ACTIVE",
      holder: { firstName: "Ελένη" },
    });
  });
});

/** Starts the installed gateway and waits until it prints its address. */
async function startGateway(cwd: string): Promise<NonNullable<typeof gateway>> {
  const program = "node_modules/@insurance-gateway/cli/bin/insurance-gateway.js";
  const child = spawn(process.execPath, [program, "serve"], { cwd, env: environment });
  let output = "";
  const address = await new Promise<string>((resolve, reject) => {
    const read = (text: Buffer): void => {
      output += text.toString();
      const [, found] = /Insurance Gateway +(http\S+)\n/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("close", () => reject(new Error(`The gateway ended before it served:\n${output}`)));
  });
  return { child, address };
}
