import { writeFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/**
 * Every file is an entry, so that an application which imports one endpoint takes only its modules;
 * declarations are written by tsc 7 afterwards, because tsup's own need the TypeScript 5 API.
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
};

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
