import type { Mutation } from "../mutation.ts";

const file = "apps/gateway/src/logging/logger.ts";
const tests: readonly string[] = ["apps/gateway/test/operations/standard-output.test.ts"];

/** Faults in the lines of the log, and in how they reach standard output. */
export const log: readonly Mutation[] = [
  {
    name: "the lines of the last turn are lost when the process ends",
    file,
    replace: "    try {\n      writeLines();\n",
    by: "    try {\n",
    tests,
  },
  {
    name: "a log that cannot be written ends the gateway",
    file,
    replace: "      } catch {\n        // There is nowhere to report it.\n      }\n",
    by: "      } finally {\n      }\n",
    tests,
  },
  {
    name: "a log that nobody reads holds the gateway up",
    file,
    replace: "sync: false",
    by: "sync: true",
    tests,
  },
  {
    name: "batches are mixed with those of other processes",
    file,
    replace: "mostBytes: MOST_BYTES_TO_PIPE",
    by: "mostBytes: MOST_BYTES_TO_FILE",
    tests,
  },
  {
    name: "joined batches are mixed with those of other processes",
    file,
    replace: "maxWrite: MOST_BYTES_TO_PIPE",
    by: "maxWrite: MOST_BYTES_TO_FILE",
    tests,
  },
  {
    name: "an orderly end does not wait for the batch that is being written",
    file,
    replace: "minLength: 1",
    by: "minLength: 0",
    tests,
  },
  {
    name: "a line is appended to the part of another",
    file,
    replace: "endsInsideLine ? `\\n${text}` : text",
    by: "text",
    tests,
  },
  {
    name: "lines keep the time of the first one",
    file: "apps/gateway/src/logging/line.ts",
    replace: "if (now !== known) text",
    by: "if (Number.isNaN(known)) text",
    tests: ["apps/gateway/test/logging/lines.test.ts"],
  },
  {
    name: "the gateway does not wait for a slow reader of its log",
    file: "apps/gateway/src/command-line/serve.ts",
    replace: "  await logger.flush();\n",
    by: "",
    tests: ["apps/gateway/test/lifecycle.release.test.ts"],
  },
];
