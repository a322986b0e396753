import { defineConfig } from "vitest/config";

/** Runs tests on the sources of the code that Stryker changes, without the projects and reporters of `npm test`. */
export default defineConfig({
  ssr: {
    resolve: {
      conditions: ["@insurance-gateway/source", "module", "node", "development|production"],
    },
  },
  test: {
    isolate: false,
    include: [
      "packages/{core,adapter,reference}/test/**/*.test.ts",
      "tooling/{contract-diff,import-provider}/test/**/*.test.ts",
      "apps/gateway/test/configuration/**/*.test.ts",
    ],
    exclude: ["**/*.{release,chaos,scale,soak,browser,collections}.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
