import { copyFileSync } from "node:fs";
import { options, recordBuild } from "@insurance-gateway/presets/tsup";
import { defineConfig } from "tsup";

/**
 * The bundle contains the package recheck, which judges patterns, so that users do not install recheck's programs for
 * every platform.
 */
export default defineConfig({
  ...options,
  async onSuccess() {
    copyFileSync("node_modules/recheck/LICENSE", "dist/recheck.LICENSE");
    recordBuild();
  },
});
