#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../dist/program/published.js", import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `insurance-gateway-import needs Node 22.19 or newer; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
if (!existsSync(program)) {
  process.stderr.write("insurance-gateway-import is not built yet: run `npm run build`.\n");
  process.exit(1);
}
await import(program.href);
