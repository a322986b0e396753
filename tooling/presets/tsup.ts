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

export default defineConfig(options);
