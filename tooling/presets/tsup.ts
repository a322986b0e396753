import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/**
 * Build settings in which every file is an entry. tsc writes the declarations afterwards, because tsup can write
 * declarations only with the API of TypeScript 5.
 */
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
  // The package contains the sources to which the source maps refer.
  sourcemap: true,
  esbuildOptions(own) {
    own.sourcesContent = false;
  },
};

/**
 * Returns the source files of the package's exports without duplicates. tsup runs in the package's folder. A provider
 * without endpoints has no examples and no sandbox yet.
 */
export function exportedModules(): string[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    // Every package of this workspace has exports of this type: a path, or a path for each condition.
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  const sources = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : (entry["@insurance-gateway/source"] ?? []),
  );
  return [...new Set(sources)].filter((file) => existsSync(file));
}

/** Returns the version of the package in whose folder tsup runs. */
function ownVersion(): string {
  return JSON.parse(readFileSync("package.json", "utf8")).version;
}

/**
 * Records the hash of the build's inputs beside `dist`, so that `prepack` refuses an outdated build. turbo provides the
 * hash. A build without turbo has no hash and cannot be packed.
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
