import type { SandboxScenario } from "@insurance-gateway/adapter/sandbox";

/** The special behaviours of Provider C's simulated insurer. */
export const scenarios: readonly SandboxScenario[] = [
  {
    name: "DOCUMENT_NOT_READY",
    endpoint: "downloadIpid",
    effect: "the insurer is still creating the document",
    problem: { code: "DOCUMENT_NOT_READY", outcome: "rejected", retry: "safe" },
    when: { pointer: "/query/applicationId", equals: "C-0009" },
  },
];
