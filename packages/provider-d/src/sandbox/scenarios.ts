import type { SandboxScenario, ScenarioProblem } from "@insurance-gateway/adapter/sandbox";

/** Creates a scenario that a tax number selects. The numbers are valid and, with seven leading zeros, hardly in use. */
const byTaxNumber = (
  name: string,
  afm: string,
  effect: string,
  problem?: ScenarioProblem,
): SandboxScenario => ({
  name,
  endpoint: "createApplication",
  effect,
  when: { pointer: "/body/holder/afm", equals: afm },
  ...(problem === undefined ? {} : { problem }),
});

const lostAnswer: ScenarioProblem = {
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry: "same_key",
};
const unavailable: ScenarioProblem = {
  code: "PROVIDER_UNAVAILABLE",
  outcome: "rejected",
  retry: "safe",
};
const refused = (code: ScenarioProblem["code"]): ScenarioProblem => ({
  code,
  outcome: "rejected",
  retry: "never",
});

/** The special behaviours of Provider D's simulated insurer. */
export const scenarios: readonly SandboxScenario[] = [
  byTaxNumber(
    "AWAITING_PAYMENT",
    "000000012",
    "201, approved; the answer names the payment to make",
  ),
  byTaxNumber("UNDER_REVIEW", "000000024", "201, waiting for the registration certificate"),
  byTaxNumber(
    "DECLINED",
    "000000036",
    "201 with status DECLINED, because a decline is a normal answer",
  ),
  byTaxNumber(
    "REJECTED",
    "000000048",
    "the insurer refuses a value and names the field",
    refused("PROVIDER_REJECTED"),
  ),
  byTaxNumber(
    "BROKER_LIMIT",
    "000000050",
    "the broker's limit is used up",
    refused("BROKER_LIMIT_EXCEEDED"),
  ),
  byTaxNumber(
    "LOST_ANSWER",
    "000000061",
    "the application is stored, but the insurer never answers",
    lostAnswer,
  ),
  byTaxNumber(
    "UNREADABLE_ANSWER",
    "000000073",
    "the application is stored, and the answer is an HTML page",
    lostAnswer,
  ),
  byTaxNumber(
    "UNAVAILABLE",
    "000000085",
    "the insurer is not available, and stores nothing; Retry-After has the time to wait",
    unavailable,
  ),
  byTaxNumber(
    "BUSY",
    "000000097",
    "the insurer accepts no more calls for now (429), and stores nothing; Retry-After has the time to wait",
    unavailable,
  ),
  byTaxNumber("SLOW", "000000104", "201 after five seconds"),
  byTaxNumber("ISSUED", "000000130", "201, paid and issued, with a policy number"),
];
