import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Only what the manifest exports is an entry, for packages whose modules nobody imports one by one: a file for each
 * module would double their size with lists of imports and exports.
 */
export default defineConfig({
  ...options,
  entry: exportedModules(),
  // An application installs these files: without it they are a half larger. esbuild would remove the marks of calls without effects,
  // which bundlers need to leave out what an application does not use.
  minify: "terser",
  terserOptions: {
    compress: false,
    // Names outside functions stay as they are: stack traces and printed errors have them.
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

/** tsup names a built file by its path on this machine, for the lines that no source has. */
function withoutMachinePaths(file: string): void {
  const map: { readonly sources: readonly string[] } = JSON.parse(readFileSync(file, "utf8"));
  const sources = map.sources.map((source) => (isAbsolute(source) ? basename(source) : source));
  writeFileSync(file, JSON.stringify({ ...map, sources }));
}
