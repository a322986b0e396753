import {
  type AnySandbox,
  defineSandbox,
  type SandboxHandler,
} from "@insurance-gateway/core/sandbox";
import type { calculatePensionQuote } from "./endpoints/index.ts";
import { providerE } from "./provider.ts";
import { ageOn, dayInGreece } from "./sandbox/age.ts";
import { dialect } from "./sandbox/dialect.ts";
import { pensionQuoteOf } from "./sandbox/pension.ts";
import { scenarios } from "./sandbox/scenarios.ts";

const calculate: SandboxHandler<typeof calculatePensionQuote, never> = (
  { input: { body }, scenario },
  _records,
  clock,
) => {
  if (scenario === "TIMEOUT") return { status: 200, silence: true };
  if (scenario === "UNAVAILABLE")
    return {
      status: 503,
      headers: { "retry-after": "5" },
      problem: { code: "PROVIDER_UNAVAILABLE", detail: "The insurer is closed for maintenance." },
    };
  const quote = pensionQuoteOf(body, ageOn(body.personDob, dayInGreece(clock())));
  if (quote !== null) return { status: 200, body: quote };
  return {
    status: 422,
    problem: {
      code: "PROVIDER_REJECTED",
      detail: "The capital at maturity is more than the insurer can promise.",
      errors: [
        { pointer: "/durationYears", code: "RANGE", message: "is too long for this contribution" },
      ],
    },
  };
};

/** The simulated insurer behind Provider E: it calculates and keeps nothing. */
export const sandbox: AnySandbox = defineSandbox<typeof providerE>({
  provider: providerE,
  seed: [],
  scenarios,
  handlers: { calculatePensionQuote: calculate },
  dialect,
});
