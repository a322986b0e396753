import { type Adapter, jsonDialect } from "@insurance-gateway/adapter";
import type { FailureRow } from "@insurance-gateway/core/contract";
import { countryRows, pageSize } from "./dialect.ts";
import { providerB } from "./provider.ts";

const why = "The insurer writes every refusal of its own as an error object with a code.";
const errorFormat = { media: "application/json", at: "/error/code", why } as const;

const failures: readonly FailureRow[] = [
  {
    ...errorFormat,
    status: [401, 403],
    is: ["API_KEY"],
    code: "PROVIDER_AUTH_FAILED",
    outcome: "rejected",
  },
  { ...errorFormat, status: 429, is: ["QUOTA"], code: "TOO_MANY", outcome: "rejected" },
  {
    ...errorFormat,
    status: 503,
    is: ["MAINTENANCE"],
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
  },
  { ...errorFormat, status: 404, is: ["UNKNOWN"], code: "RESOURCE_NOT_FOUND", outcome: "rejected" },
  {
    ...errorFormat,
    status: [400, 422],
    is: ["PAGE", "REQUEST"],
    code: "INVALID_INPUT",
    outcome: "rejected",
  },
];

/** The adapter for Provider B's own API, modelled on insurers' publications and never run against an insurer. */
export const adapter: Adapter = jsonDialect(providerB, {
  failures,
  calls: {
    listCountries: {
      method: "GET",
      path: "/v2/travel/countries",
      query: [
        ["/page/position", "/page"],
        ["/page/size", "/size"],
      ],
      pages: {
        style: "page",
        from: 0,
        most: pageSize,
        items: "/content",
        each: countryRows,
        total: "/totalElements",
        whole: { queries: 10, at: "/items" },
      },
      unread: ["/page", "/size"],
    },
  },
});
