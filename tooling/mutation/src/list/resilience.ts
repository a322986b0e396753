import type { Mutation } from "../mutation.ts";

/** Faults in `apps/gateway/src/resilience`. */
export const resilience: readonly Mutation[] = [
  {
    name: "a breaker opens one failure late",
    file: "apps/gateway/src/resilience/breaker.ts",
    replace: "failuresInRow >= settings.failuresInRow ||",
    by: "failuresInRow > settings.failuresInRow ||",
    tests: ["apps/gateway/test/resilience/breaker.test.ts"],
  },
  {
    name: "a breaker counts who left as a success",
    file: "apps/gateway/src/resilience/breaker.ts",
    replace: 'if (result === "cancelled" || result === "unusable") return;',
    by: 'if (result === "unusable") return;',
    tests: ["apps/gateway/test/resilience/breaker.test.ts"],
  },
  {
    name: "a breaker does not stay open longer each time",
    file: "apps/gateway/src/resilience/breaker.ts",
    replace: "settings.openMs * 2 ** openings",
    by: "settings.openMs",
    tests: ["apps/gateway/test/resilience/breaker.test.ts"],
  },
  {
    name: "one more may wait for a place",
    file: "apps/gateway/src/resilience/bulkhead.ts",
    replace: "if (queued >= settings.queued) return null;",
    by: "if (queued > settings.queued) return null;",
    tests: ["apps/gateway/test/resilience/bulkhead.test.ts"],
  },
  {
    name: "retries cost nothing",
    file: "apps/gateway/src/resilience/retries.ts",
    replace: "saved -= 1;",
    by: "saved -= 0;",
    tests: [
      "apps/gateway/test/resilience/retries.test.ts",
      "apps/gateway/test/resilience/retry-rules.test.ts",
    ],
  },
  {
    name: "one attempt more is made",
    file: "apps/gateway/src/resilience/retries.ts",
    replace: "attempt >= attempts ||",
    by: "attempt > attempts ||",
    tests: ["apps/gateway/test/resilience/retries.test.ts"],
  },
];
