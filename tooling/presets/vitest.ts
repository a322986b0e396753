import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** vite's conditions for servers, and ours before them, so that tests run on the sources. */
const conditions = ["@insurance-gateway/source", "module", "node", "development|production"];

/**
 * Tests in every package's `test` folder; `npm test` runs `*.test.ts`. The longer suites have names of their own:
 * - `*.release.test.ts` start what is installed, or pack and install it
 * - `*.chaos.test.ts` kill what they test, or break its insurers
 * - `*.scale.test.ts` give it as much as large installations have
 * - `*.soak.test.ts` watch it for minutes or hours
 * - `*.browser.test.ts` need a browser
 * - `*.collections.test.ts` run what other clients are given
 */
export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    isolate: false,
    reporters: ["default", "./tooling/presets/tally-reporter.ts"],
    setupFiles: [fileURLToPath(new URL("connect-timer.ts", import.meta.url))],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["{packages,apps,tooling}/*/test/**/*.test.ts"],
          exclude: ["release", "chaos", "scale", "soak", "browser", "collections"].map(
            (suite) => `**/*.${suite}.test.ts`,
          ),
          // Most of them wait for processes and deadlines: two files at once, also on two cores.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "release",
          include: ["{packages,apps,tooling}/*/test/**/*.release.test.ts"],
          maxWorkers: 2,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          include: ["{packages,apps,tooling}/*/test/**/*.chaos.test.ts"],
          // Both stores at once: they wait for leases most of the time.
          maxWorkers: 2,
          testTimeout: 1_800_000,
        },
      },
      {
        extends: true,
        test: {
          name: "scale",
          include: ["{packages,apps,tooling}/*/test/**/*.scale.test.ts"],
          // vitest's default is one on two cores.
          maxWorkers: 2,
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["{packages,apps,tooling}/*/test/**/*.browser.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "collections",
          include: ["{packages,apps,tooling}/*/test/**/*.collections.test.ts"],
          // Cargo builds the crates of the Rust snippets from source.
          testTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "soak",
          include: ["{packages,apps,tooling}/*/test/**/*.soak.test.ts"],
          // As long as somebody wants it to take.
          testTimeout: 86_400_000,
        },
      },
    ],
  },
});
