import { build, defineConfig } from "tsup";
import preset from "./tsup.ts";

/** Beside a file for each module: all declarations in one, which a gateway reads faster than hundreds of files. */
export default defineConfig({
  ...preset,
  async onSuccess() {
    await build({
      entry: { gateway: "src/index.ts" },
      config: false,
      format: ["esm"],
      splitting: false,
      target: "node22",
      silent: true,
      removeNodeProtocol: false,
    });
  },
});
