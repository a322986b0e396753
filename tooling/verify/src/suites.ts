/** One command of a suite. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** `tests` if the command prints the numbers of its tests; undefined if the command counts as one check. */
  readonly counts?: "tests";
  /** True if later steps need this step: if it fails, they do not run and count as one failure. */
  readonly required?: boolean;
}

/** The suites whose test files have the suite's name in their names: `*.release.test.ts`. */
const longerSuites = ["release", "chaos", "scale", "browser", "collections", "soak"] as const;

const build: Step = {
  name: "build",
  command: ["npm", "run", "--silent", "build"],
  required: true,
};

const tests = (suite: (typeof longerSuites)[number]): Step => ({
  name: suite,
  command: ["vitest", "run", "--project", suite],
  counts: "tests",
});

/** Counts the tasks of each package; turbo caches the results of unchanged packages. */
const packages = (...options: readonly string[]): readonly [string, ...string[]] => [
  "node",
  "tooling/verify/src/package-tasks.ts",
  ...options,
];

/** The formatter and linter for files that belong to no package. */
const root: Step = {
  name: "files of no package",
  command: [
    "sh",
    "-c",
    "biome ci --reporter=summary *.json *.ts .oxlintrc.json .pnpmfile.mjs .changeset deploy && oxlint --type-aware --deny-warnings vitest.config.ts .pnpmfile.mjs",
  ],
};

/** All suites by name. */
export const suites: Readonly<Record<string, readonly Step[]>> = {
  test: [
    { name: "build", command: ["npm", "run", "--silent", "build"] },
    { name: "types", command: ["npm", "run", "--silent", "check:types"] },
    // One linter for all packages: a linter for each package would read the types of its dependencies again.
    { name: "lint", command: ["npm", "run", "--silent", "lint"] },
    { name: "unused", command: ["knip", "--no-config-hints"] },
    { name: "boundaries", command: ["turbo", "boundaries"] },
    // The gateway's tests start first: they take longest and mostly wait for processes and timeouts, so the others run
    // meanwhile.
    {
      name: "packages",
      command: packages("test", "--first=@insurance-gateway/gateway", "--concurrency=2"),
      counts: "tests",
    },
  ],
  affected: [
    // Some tests read the builds of packages that are not among the dependencies of the tests' package.
    { name: "build", command: ["npm", "run", "--silent", "build"] },
    { name: "types", command: ["npm", "run", "--silent", "check:types"] },
    root,
    {
      name: "packages",
      command: packages("lint", "test", "--affected", "--concurrency=3"),
      counts: "tests",
    },
  ],
  ...Object.fromEntries(longerSuites.map((suite) => [suite, [build, tests(suite)]])),
};
