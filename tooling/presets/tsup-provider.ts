import { globSync, rmSync } from "node:fs";
import { build, defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Every endpoint is an entry, so that it has a file of its own and an application which imports one takes only what it
 * needs. That file is one of those that the entries share; the entries themselves lead to nothing else and are removed.
 * A further file has all declarations, which a gateway reads faster than hundreds of files.
 */
export default defineConfig({
  ...options,
  // tsc writes declarations there meanwhile; `build-provider.ts` has removed what was there before.
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
