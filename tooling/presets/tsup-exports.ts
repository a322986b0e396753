import { defineConfig } from "tsup";
import { exportedModules, options, recordBuild } from "./tsup.ts";

/**
 * Only what the manifest exports is an entry, for packages whose modules nobody imports one by one: a file for each
 * module would double their size with lists of imports and exports.
 */
export default defineConfig({
  ...options,
  entry: exportedModules(),
  // An application installs these files: without it they are a sixth larger.
  minifyWhitespace: true,
  async onSuccess() {
    recordBuild();
  },
});
