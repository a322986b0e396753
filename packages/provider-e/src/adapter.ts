import { type Adapter, jsonDialect } from "@insurance-gateway/adapter";
import type { FailureRow } from "@insurance-gateway/core/contract";
import { fieldNames, quoteRows, requestRows } from "./dialect.ts";
import { providerE } from "./provider.ts";

const errorFormat = {
  media: "application/json",
  at: "/errors/0/code",
  why: "The insurer writes each refusal of its own as a list of errors with codes.",
} as const;

const failures: readonly FailureRow[] = [
  { ...errorFormat, status: [400, 422], is: ["Q-100"], code: "INVALID_INPUT", outcome: "rejected" },
  { ...errorFormat, status: 422, is: ["Q-107"], code: "PROVIDER_REJECTED", outcome: "rejected" },
  { ...errorFormat, status: 403, is: ["A-403"], code: "NOT_ALLOWED", outcome: "rejected" },
  { ...errorFormat, status: 429, is: ["A-429"], code: "TOO_MANY", outcome: "rejected" },
  { ...errorFormat, status: 503, is: ["S-001"], code: "PROVIDER_UNAVAILABLE", outcome: "rejected" },
  {
    status: 401,
    media: "application/json",
    at: "/error",
    is: ["invalid_token"],
    code: "PROVIDER_AUTH_FAILED",
    outcome: "rejected",
    why: "RFC 6750, section 3.1: the token is looked at before the request.",
  },
];

/** The adapter for Provider E's own API, modelled on insurers' publications and never run against an insurer. */
export const adapter: Adapter = jsonDialect(providerE, {
  failures,
  faults: { list: "/errors", field: "/field", names: fieldNames },
  calls: {
    calculatePensionQuote: {
      method: "POST",
      path: "/pension/v1/quotations",
      body: [{ group: ["/body", ""], fields: requestRows }],
      value: quoteRows,
    },
  },
});
