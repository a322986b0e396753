import type { SandboxScenario } from "@insurance-gateway/adapter/sandbox";

/** The special behaviours of Provider C's simulated insurer. */
export const scenarios: readonly SandboxScenario[] = [
  {
    name: "DOCUMENT_NOT_READY",
    endpoint: "downloadIpid",
    effect: "409 DOCUMENT_NOT_READY with Retry-After: the insurer is still making the document",
    when: { pointer: "/query/applicationId", equals: "C-0009" },
  },
];
