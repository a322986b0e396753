import {
  makeGatewayFolder,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { expect, test } from "vitest";

/** Code for the gateway's process. The code prints the loaded packages and files on SIGUSR2. */
const report = `
  import { writeSync } from "node:fs";
  import { registerHooks } from "node:module";
  import { isMainThread, resourceLimits } from "node:worker_threads";
  const packages = new Set();
  let files = 0;
  registerHooks({
    load(url, context, next) {
      const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      if (url.startsWith("file:")) files += 1;
      return next(url, context);
    },
  });
  if (!isMainThread) writeSync(2, "\\nthread with " + JSON.stringify(resourceLimits) + "\\n");
  if (isMainThread) process.on("SIGUSR2", () => {
    writeSync(2, "\\nstarted with " + JSON.stringify({ files, packages: [...packages], builtIn: process.moduleLoadList }) + "\\n");
  });
`;

test("the start of a gateway loads no package that it does not need", async () => {
  const upstream = { baseUrl: "http://127.0.0.1:9", adapter: "declared" };
  const folder = makeGatewayFolder({
    providers: sandboxConfiguration.providers.map((provider) => ({ ...provider, upstream })),
  });
  const gateway = await startGatewayProcess(folder.path, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}`,
  });
  gateway.child.kill("SIGUSR2");
  const { stderr } = await gateway.stop();
  folder.remove();

  const [, text = ""] = /started with (.+)/.exec(stderr) ?? [];
  const { builtIn, files, packages } = JSON.parse(text);
  expect(packages).toContain("undici");
  // Measured on 2026-11-27: the gateway loads 667 files in 33 packages.
  expect(files).toBeLessThanOrEqual(690);
  expect(packages.length).toBeLessThanOrEqual(34);
  for (const other of ["pg", "fast-xml-parser", "pdfkit", "cli-table3", "fastify"])
    expect(packages).not.toContain(other);
  expect(builtIn).toContain("NativeModule _http_server");
  // An import of node:http would load Node's fetch client.
  expect(builtIn).not.toContain("NativeModule internal/deps/undici/undici");
  // The thread of the store needs little memory for new objects. By default, V8 would reserve 48 MB for them.
  const [, thread = ""] = /thread with (.+)/.exec(stderr) ?? [];
  expect(JSON.parse(thread)).toMatchObject({ maxYoungGenerationSizeMb: 4 });
});
