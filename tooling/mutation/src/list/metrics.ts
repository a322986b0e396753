import type { Mutation } from "../mutation.ts";

const tests: readonly string[] = ["apps/gateway/test/observation/exposition.test.ts"];

/** Faults in what the metrics count. */
export const metrics: readonly Mutation[] = [
  {
    name: "requests that wait are missing in the metrics",
    file: "apps/gateway/src/observation/metrics.ts",
    replace: "    ended.handle();\n",
    by: "",
    tests,
  },
  {
    name: "attempts that wait are missing in the metrics",
    file: "apps/gateway/src/observation/metrics.ts",
    replace: "    attempted.handle();\n",
    by: "",
    tests,
  },
  {
    name: "events that were handled are handled again",
    file: "apps/gateway/src/observation/waiting-events.ts",
    replace: "    waiting = [];\n",
    by: "",
    tests: ["apps/gateway/test/observation/waiting-events.test.ts"],
  },
];
