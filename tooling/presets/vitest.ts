import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** vite's server conditions after this project's condition for sources, so that tests run on the sources. */
const conditions = ["@insurance-gateway/source", "module", "node", "development|production"];

/**
 * Tests are in the `test` folder of each package; `npm test` runs `*.test.ts`. The longer suites have separate
 * suffixes:
 * - `*.release.test.ts` start built programs, or pack and install packages
 * - `*.chaos.test.ts` kill processes, or let insurers fail
 * - `*.scale.test.ts` use as much data as large installations
 * - `*.soak.test.ts` run for minutes or hours
 * - `*.browser.test.ts` need a browser
 * - `*.collections.test.ts` run the snippets and collections for other clients
 */
export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    isolate: false,
    reporters: ["default", "./tooling/presets/tally-reporter.ts"],
    setupFiles: [fileURLToPath(new URL("real-timers.ts", import.meta.url))],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Without this setting, `expect.poll` fails after one second, which is too short on a busy machine.
    expect: { poll: { timeout: 25_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["{packages,apps,tooling}/*/test/**/*.test.ts"],
          exclude: ["release", "chaos", "scale", "soak", "browser", "collections"].map(
            (suite) => `**/*.${suite}.test.ts`,
          ),
          // Most of these tests wait for processes and timeouts, so two test files run at the same time even on two
          // cores.
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
          // Both stores are tested at once, because the tests mostly wait for leases.
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
          // Soak tests may run as long as the user wants.
          testTimeout: 86_400_000,
        },
      },
    ],
  },
});
