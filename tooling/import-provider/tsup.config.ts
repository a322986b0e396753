import { cpSync } from "node:fs";
import { options, recordBuild } from "@insurance-gateway/presets/tsup";
import { defineConfig } from "tsup";

/** One program with the private packages that it needs; beside it the files of a new package, and the guide. */
export default defineConfig({
  ...options,
  entry: ["src/published.ts"],
  outDir: "dist/program",
  noExternal: [/^@insurance-gateway\/(contract-diff|create-provider|lists)$/],
  async onSuccess() {
    cpSync("../create-provider/template", "dist/template", { recursive: true });
    cpSync("../../docs/importing.md", "dist/importing.md");
    recordBuild();
  },
});
