import { build, defineConfig } from "tsup";
import { options, recordBuild } from "./tsup.ts";

/** Beside a file for each module: all declarations in one, which a gateway reads faster than hundreds of files. */
export default defineConfig({
  ...options,
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
