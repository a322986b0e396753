/** One command of a suite. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** `tests`: the command counts its tests itself; otherwise it counts as one. */
  readonly counts?: "tests";
  /** What comes after it needs it: when it fails, the rest is not run and counts as one failure. */
  readonly required?: boolean;
}

const vitest = (project: string): readonly [string, ...string[]] => [
  "vitest",
  "run",
  "--project",
  project,
];

/** Every suite by name. */
export const suites: Readonly<Record<string, readonly Step[]>> = {
  test: [
    { name: "build", command: ["npm", "run", "--silent", "build"], required: true },
    { name: "types", command: ["npm", "run", "--silent", "check:types"] },
    { name: "format", command: ["npm", "run", "--silent", "check:format"] },
    { name: "lint", command: ["npm", "run", "--silent", "check:lint"] },
    { name: "unused", command: ["npm", "run", "--silent", "check:unused"] },
    { name: "boundaries", command: ["npm", "run", "--silent", "check:boundaries"] },
    { name: "tests", command: vitest("fast"), counts: "tests" },
  ],
  affected: [
    { name: "types", command: ["npm", "run", "--silent", "check:types"] },
    {
      name: "affected",
      command: ["turbo", "run", "lint", "test", "--affected", "--output-logs=errors-only"],
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
