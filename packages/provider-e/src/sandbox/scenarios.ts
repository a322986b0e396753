import type { SandboxScenario } from "@insurance-gateway/adapter/sandbox";

const byContribution = (name: string, contribution: number, effect: string): SandboxScenario => ({
  name,
  endpoint: "calculatePensionQuote",
  effect,
  when: { pointer: "/body/monthlyContribution", equals: contribution },
});

/** The special behaviours of Provider E's simulated insurer. */
export const scenarios: readonly SandboxScenario[] = [
  byContribution("UNAVAILABLE", 66.66, "503 PROVIDER_UNAVAILABLE with Retry-After"),
  byContribution("TIMEOUT", 77.77, "no answer ever comes"),
];
