import { globSync, rmSync } from "node:fs";
import { build, defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Build settings for provider packages: every endpoint is an entry with a separate file, so that an application bundles
 * only the endpoints that it imports. The entries share these files, and the unneeded entry files are removed. An
 * additional file has all declarations, because a gateway reads it faster than hundreds of files.
 */
export default defineConfig({
  ...options,
  // tsc writes declarations into the folder at the same time; `build-provider.ts` has removed the old files.
  clean: false,
  entry: [...exportedModules(), "src/endpoints/**/*.ts"],
  async onSuccess() {
    for (const file of globSync("dist/endpoints/**/*.{js,js.map}")) rmSync(file);
    await build({
      ...options,
      config: false,
      entry: { gateway: "src/index.ts" },
      splitting: false,
      clean: false,
    });
    recordBuild();
  },
});
