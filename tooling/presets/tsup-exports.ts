import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Build settings for packages whose modules are not imported one by one: only exported modules are entries, because a
 * file for each module would double the size with imports and exports.
 */
export default defineConfig({
  ...options,
  entry: exportedModules(),
  // Applications install these files, which would be half as large again without minification. esbuild would remove the
  // marks of calls without effects, which bundlers need to omit unused code.
  minify: "terser",
  terserOptions: {
    compress: false,
    // Top-level names stay, because stack traces and printed errors contain them.
    module: false,
    mangle: { keep_fnames: true },
    format: { preserve_annotations: true },
    sourceMap: true,
  },
  async onSuccess() {
    for (const file of globSync("dist/**/*.js.map")) withoutMachinePaths(file);
    recordBuild();
  },
});

/** Removes the path of this machine by which tsup names a built file for lines without a source. */
function withoutMachinePaths(file: string): void {
  const map: { readonly sources: readonly string[] } = JSON.parse(readFileSync(file, "utf8"));
  const sources = map.sources.map((source) => (isAbsolute(source) ? basename(source) : source));
  writeFileSync(file, JSON.stringify({ ...map, sources }));
}
