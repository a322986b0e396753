import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { options, recordBuild } from "@insurance-gateway/presets/tsup";
import { defineConfig } from "tsup";

/**
 * Builds one program that contains the needed private packages. The template of a new package and the guide are copied
 * beside the program.
 */
export default defineConfig({
  ...options,
  entry: ["src/published.ts"],
  outDir: "dist/program",
  noExternal: [/^@insurance-gateway\/(contract-diff|create-provider|lists)$/],
  async onSuccess() {
    cpSync("../create-provider/template", "dist/template", { recursive: true });
    const guide = readFileSync("../../docs/importing.md", "utf8");
    writeFileSync("dist/importing.md", withoutRelativeLinks(guide));
    recordBuild();
  },
});

/** The text of links to other guides, which the package does not have; links within the guide and to the web stay. */
function withoutRelativeLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, "$1");
}
