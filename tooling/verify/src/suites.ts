/** One command of a suite. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** `tests`: the command counts its tests itself; otherwise it counts as one. */
  readonly counts?: "tests";
  /** Later steps need it: if it fails, they are not run and count as one failure. */
  readonly required?: boolean;
}

const vitest = (project: string): readonly [string, ...string[]] => [
  "vitest",
  "run",
  "--project",
  project,
];

/** Counts the tasks of each package; turbo has the results of packages that have not changed. */
const packages = (...options: readonly string[]): readonly [string, ...string[]] => [
  "node",
  "tooling/verify/src/package-tasks.ts",
  ...options,
];

/** Formatter and linter for what belongs to no package. */
const root: Step = {
  name: "files of no package",
  command: [
    "sh",
    "-c",
    "biome ci --reporter=summary *.json *.ts .oxlintrc.json .pnpmfile.mjs .changeset deploy && oxlint --type-aware --deny-warnings vitest.config.ts .pnpmfile.mjs",
  ],
};

/** Every suite by name. */
export const suites: Readonly<Record<string, readonly Step[]>> = {
  test: [
    { name: "build", command: ["npm", "run", "--silent", "build"] },
    { name: "types", command: ["npm", "run", "--silent", "check:types"] },
    // All at once: a linter for each package would read the types of its dependencies again.
    { name: "lint", command: ["npm", "run", "--silent", "lint"] },
    { name: "unused", command: ["knip", "--no-config-hints"] },
    { name: "boundaries", command: ["turbo", "boundaries"] },
    // The gateway's tests take longest, and wait for processes and deadlines: the others run meanwhile.
    {
      name: "packages",
      command: packages("test", "--first=@insurance-gateway/gateway", "--concurrency=2"),
      counts: "tests",
    },
  ],
  affected: [
    // Some tests read what packages that they do not depend on were built into.
    { name: "build", command: ["npm", "run", "--silent", "build"] },
    { name: "types", command: ["npm", "run", "--silent", "check:types"] },
    root,
    {
      name: "packages",
      command: packages("lint", "test", "--affected", "--concurrency=3"),
      counts: "tests",
    },
  ],
  release: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "release", command: vitest("release"), counts: "tests" },
  ],
  chaos: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "chaos", command: vitest("chaos"), counts: "tests" },
  ],
  scale: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "scale", command: vitest("scale"), counts: "tests" },
  ],
  browser: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "browser", command: vitest("browser"), counts: "tests" },
  ],
  collections: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "collections", command: vitest("collections"), counts: "tests" },
  ],
  soak: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "soak", command: vitest("soak"), counts: "tests" },
  ],
};
