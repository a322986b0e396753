/** The bundlers, by the package names to install. */
export const bundlers: readonly string[] = [
  "esbuild@0.28",
  "rollup@4",
  "@rollup/plugin-node-resolve@16",
  "vite@8",
  "webpack@5",
];

/**
 * The text of a program for each bundler. The program bundles the module in its first argument for the target in its
 * second argument and prints the bundle. The default target is Node.js; rollup has no targets, and vite bundles for
 * browsers.
 */
export const bundlerPrograms: Readonly<Record<string, string>> = {
  esbuild: `
    import { build } from "esbuild";
    const options = { bundle: true, minify: true, format: "esm", platform: process.argv[3] ?? "node", write: false };
    const { outputFiles } = await build({ entryPoints: [process.argv[2]], ...options });
    process.stdout.write(outputFiles[0].text);
  `,
  rollup: `
    import { nodeResolve } from "@rollup/plugin-node-resolve";
    import { rollup } from "rollup";
    const plugins = [nodeResolve({ preferBuiltins: true })];
    const options = { plugins, external: /^node:/, logLevel: "silent" };
    const bundle = await rollup({ input: process.argv[2], ...options });
    const { output } = await bundle.generate({ format: "es", inlineDynamicImports: true });
    process.stdout.write(output[0].code);
  `,
  vite: `
    import { dirname } from "node:path";
    import { build } from "vite";
    const { output } = await build({
      root: dirname(process.argv[2]),
      configFile: false,
      logLevel: "silent",
      build: { write: false, rolldownOptions: { input: process.argv[2] } },
    });
    process.stdout.write(output[0].code);
  `,
  webpack: `
    import { mkdtempSync, readFileSync } from "node:fs";
    import { tmpdir } from "node:os";
    import { join } from "node:path";
    import webpack from "webpack";
    const path = mkdtempSync(join(tmpdir(), "webpack-"));
    const output = { path, filename: "bundle.mjs", module: true };
    const options = { mode: "production", target: process.argv[3] ?? "node22", experiments: { outputModule: true }, output };
    webpack({ entry: process.argv[2], ...options }, (error, stats) => {
      if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
      process.stdout.write(readFileSync(join(path, "bundle.mjs"), "utf8"));
    });
  `,
};
