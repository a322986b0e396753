import { defineConfig } from "vitest/config";

/** vite's conditions for servers, and ours before them, so that tests run on the sources. */
const conditions = ["@insurance-gateway/source", "module", "node", "development|production"];

/** Tests in every package's `test` folder; `*.release.test.ts` need packing and installing and are a suite of their own. */
export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    isolate: false,
    reporters: ["default", "./tooling/presets/tally-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["{packages,apps,tooling}/*/test/**/*.test.ts"],
          exclude: ["**/*.release.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "release",
          include: ["{packages,apps,tooling}/*/test/**/*.release.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
