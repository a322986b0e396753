#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../dist/main.js", import.meta.url);
const [major = 0] = process.versions.node.split(".").map(Number);

if (major < 24) {
  process.stderr.write(
    `insurance-gateway needs Node 24 or newer; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
if (!existsSync(program)) {
  process.stderr.write(
    "insurance-gateway is not built yet: run `npm start` once, or `npm run build`.\n",
  );
  process.exit(1);
}
// Node resolves host names in these threads. A slow name server of one insurer must not occupy all of them.
process.env.UV_THREADPOOL_SIZE ??= "16";
await import(program.href);
