import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Build settings for packages whose users do not import single modules: only exported modules are entries, because a
 * file for each module would double the size of the package with imports and exports.
 */
export default defineConfig({
  ...options,
  entry: exportedModules(),
  // Applications install these files; without minification they would be 50 % larger. esbuild would remove the marks of
  // calls without effects, which bundlers need to omit unused code.
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

/** Removes the path of a built file on this machine, which tsup writes into source maps for lines without a source. */
function withoutMachinePaths(file: string): void {
  const map: { readonly sources: readonly string[] } = JSON.parse(readFileSync(file, "utf8"));
  const sources = map.sources.map((source) => (isAbsolute(source) ? basename(source) : source));
  writeFileSync(file, JSON.stringify({ ...map, sources }));
}
