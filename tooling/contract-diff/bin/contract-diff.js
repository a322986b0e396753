import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Node strips the types of the sources at each start, which takes 0.1 s of processor time. The compile cache stores the
// result. This file is JavaScript because Node loads it before the cache is on.
enableCompileCache(
  fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url)),
);
await import("../src/main.ts");
