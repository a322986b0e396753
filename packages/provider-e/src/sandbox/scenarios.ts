import type { SandboxScenario, ScenarioProblem } from "@insurance-gateway/adapter/sandbox";

const byContribution = (
  name: string,
  contribution: number,
  effect: string,
  problem: ScenarioProblem,
): SandboxScenario => ({
  name,
  endpoint: "calculatePensionQuote",
  effect,
  problem,
  when: { pointer: "/body/monthlyContribution", equals: contribution },
});

/** The special behaviours of Provider E's simulated insurer. */
export const scenarios: readonly SandboxScenario[] = [
  byContribution(
    "UNAVAILABLE",
    66.66,
    "the insurer is not available; Retry-After has the time to wait",
    {
      code: "PROVIDER_UNAVAILABLE",
      outcome: "rejected",
      retry: "safe",
    },
  ),
  byContribution("TIMEOUT", 77.77, "the insurer never answers", {
    code: "PROVIDER_TIMEOUT",
    outcome: "unknown",
    retry: "safe",
  }),
];
