import type { Mutation } from "../mutation.ts";

/** Faults in `apps/gateway/src/upstream`. */
export const upstream: readonly Mutation[] = [
  {
    name: "timeouts.connectMs is ignored",
    file: "apps/gateway/src/upstream/attempt.ts",
    replace: "    connectTimeoutMs: timeouts.connectMs,\n",
    by: "",
    tests: ["apps/gateway/test/configuration/effects.chaos.test.ts"],
  },
  {
    name: "a documented code is believed with any status",
    file: "apps/gateway/src/upstream/outcome.ts",
    replace: "if (documented?.statuses.includes(answer.status))",
    by: "if (documented !== undefined)",
    tests: ["apps/gateway/test/documented-codes.test.ts"],
  },
  {
    name: "a submission goes over any connection",
    file: "apps/gateway/src/upstream/attempt.ts",
    replace: 'if (!kindPolicies[kind].actsAtInsurer) return "any";',
    by: 'if (kind !== "document") return "any";',
    tests: ["apps/gateway/test/submissions/sending.test.ts"],
  },
  {
    name: "a submission is tried again",
    file: "apps/gateway/src/upstream/repeated-call.ts",
    replace: "const isOnce = actsAtInsurer || call.reconciles !== undefined;",
    by: "const isOnce = call.reconciles !== undefined;",
    tests: ["apps/gateway/test/resilience/retries.test.ts"],
  },
  {
    name: "an answer that is another submission's counts",
    file: "apps/gateway/src/upstream/binding.ts",
    replace: "compared.filter(([pointer, value]) => value !== expected[pointer])",
    by: "compared.filter(([pointer, value]) => typeof value !== typeof expected[pointer])",
    tests: ["apps/gateway/test/configuration/effects.chaos.test.ts"],
  },
  {
    name: "the breaker is not told how a call ended",
    file: "apps/gateway/src/upstream/guarded-attempt.ts",
    replace: "      admission.settle(result);\n",
    by: "",
    tests: ["apps/gateway/test/resilience/isolation.test.ts"],
  },
  {
    name: "a place is not left by a call that ends",
    file: "apps/gateway/src/upstream/guarded-attempt.ts",
    replace: "      leave();\n      admission.settle(result);",
    by: "      admission.settle(result);",
    tests: ["apps/gateway/test/resilience/bulkhead.test.ts"],
  },
  {
    name: "the caller's scenario crosses to an insurer",
    file: "apps/gateway/src/upstream/attempt.ts",
    replace: "...(sandbox && scenario !== undefined",
    by: "...(scenario !== undefined",
    tests: ["apps/gateway/test/forwarding.test.ts"],
  },
];
