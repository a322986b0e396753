import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import type { calculatePensionQuote } from "../../endpoints/index.ts";
import { ageOn, dayInGreece } from "../age.ts";
import { pensionQuoteOf } from "../pension.ts";

export const calculatePensionQuoteHandler: SandboxHandler<typeof calculatePensionQuote, never> = (
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
