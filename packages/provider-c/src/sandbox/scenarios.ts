import type { SandboxScenario } from "@insurance-gateway/adapter/sandbox";

/** What Provider C's simulated insurer does other than answer with a list or a document. */
export const scenarios: readonly SandboxScenario[] = [
  {
    name: "DOCUMENT_NOT_READY",
    endpoint: "downloadIpid",
    effect: "409 DOCUMENT_NOT_READY with Retry-After: the insurer is still making the document",
    when: { pointer: "/query/applicationId", equals: "C-0009" },
  },
];
