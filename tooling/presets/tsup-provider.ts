import { build, defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Every endpoint is an entry, so that an application which imports one takes only what it needs. Beside them: all
 * declarations in one file, which a gateway reads faster than hundreds of files.
 */
export default defineConfig({
  ...options,
  // tsc writes declarations there meanwhile; `build-provider.ts` has removed what was there before.
  clean: false,
  entry: [...exportedModules(), "src/endpoints/**/*.ts"],
  async onSuccess() {
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
