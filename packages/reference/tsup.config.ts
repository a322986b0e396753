import { copyFileSync } from "node:fs";
import { options, recordBuild } from "@insurance-gateway/presets/tsup";
import { defineConfig } from "tsup";

/** Contains recheck, which judges patterns, so that nobody installs its programs for each platform. */
export default defineConfig({
  ...options,
  async onSuccess() {
    copyFileSync("node_modules/recheck/LICENSE", "dist/recheck.LICENSE");
    recordBuild();
  },
});
