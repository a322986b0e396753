import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/** Every file is an entry. tsc 7 writes the declarations afterwards, because tsup's own need the TypeScript 5 API. */
export const options: Options = {
  entry: ["src/**/*.ts"],
  format: ["esm"],
  splitting: true,
  dts: false,
  clean: true,
  target: "node22",
  silent: true,
  removeNodeProtocol: false,
  define: { PACKAGE_VERSION: JSON.stringify(ownVersion()) },
  // The sources are packed too: the maps lead to them.
  sourcemap: true,
  esbuildOptions(own) {
    own.sourcesContent = false;
  },
};

/**
 * The sources of what the manifest exports, each once; tsup runs in the package's folder. A provider without an endpoint
 * has no examples and no sandbox yet.
 */
export function exportedModules(): string[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    // Every package of this workspace has this form: a path, or one for each condition.
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  const sources = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : (entry["@insurance-gateway/source"] ?? []),
  );
  return [...new Set(sources)].filter((file) => existsSync(file));
}

/** The version of the package, in whose folder tsup runs. */
function ownVersion(): string {
  return JSON.parse(readFileSync("package.json", "utf8")).version;
}

/**
 * Notes beside `dist` what it was built from, so that `prepack` refuses to pack an outdated one. turbo gives the hash
 * of every input; a build without turbo has none, and is not packed.
 */
export function recordBuild(): void {
  writeFileSync(".built-from", process.env.TURBO_HASH ?? "");
}

export default defineConfig({
  ...options,
  async onSuccess() {
    recordBuild();
  },
});
