import type { SandboxScenario } from "@insurance-gateway/adapter/sandbox";

/** The tax numbers below pass the check digit and are unlikely ever to be assigned (seven leading zeros). */
const byAfm = (name: string, afm: string, effect: string): SandboxScenario => ({
  name,
  endpoint: "createApplication",
  effect,
  when: { pointer: "/body/holder/afm", equals: afm },
});

/** The special behaviours of Provider D's simulated insurer. */
export const scenarios: readonly SandboxScenario[] = [
  byAfm("AWAITING_PAYMENT", "000000012", "201, approved and waiting for the payment named in it"),
  byAfm("UNDER_REVIEW", "000000024", "201, waiting for the registration certificate"),
  byAfm("DECLINED", "000000036", "201 with status DECLINED: a decline is an answer"),
  byAfm("REJECTED", "000000048", "422 PROVIDER_REJECTED, with the field at fault"),
  byAfm("BROKER_LIMIT", "000000050", "422 BROKER_LIMIT_EXCEEDED"),
  byAfm("LOST_ANSWER", "000000061", "the application is kept, and no answer ever comes"),
  byAfm(
    "UNREADABLE_ANSWER",
    "000000073",
    "the application is kept, and the answer is an HTML page",
  ),
  byAfm("UNAVAILABLE", "000000085", "503 with Retry-After; nothing is kept"),
  byAfm("BUSY", "000000097", "429 with Retry-After; nothing is kept"),
  byAfm("SLOW", "000000104", "201 after five seconds"),
  byAfm("ISSUED", "000000130", "201, paid and issued, with a policy number"),
];
