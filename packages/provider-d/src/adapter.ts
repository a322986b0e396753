import { type Adapter, jsonDialect, plainText } from "@insurance-gateway/adapter";
import { type FailureRow, valueAt } from "@insurance-gateway/core/contract";
import { applicationRows, fieldNames, requestRows, service, states } from "./dialect.ts";
import { providerD } from "./provider.ts";

const errorFormat = {
  media: "application/json",
  at: "/code",
  why: "The insurer's manual gives every refusal of its own a code, and says that nothing was done.",
} as const;

const failures: readonly FailureRow[] = [
  {
    ...errorFormat,
    status: 422,
    is: ["MTR-4022"],
    code: "BROKER_LIMIT_EXCEEDED",
    outcome: "rejected",
  },
  {
    ...errorFormat,
    status: 409,
    is: ["MTR-4091"],
    code: "DUPLICATE_APPLICATION",
    outcome: "rejected",
  },
  {
    ...errorFormat,
    status: [401, 403],
    is: ["GW-401", "GW-403", "MTR-4011"],
    code: "PROVIDER_AUTH_FAILED",
    outcome: "rejected",
  },
  {
    ...errorFormat,
    status: 429,
    is: ["GW-429"],
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
    text: "The insurer accepts no more calls for now; try again later.",
  },
  {
    ...errorFormat,
    status: 503,
    is: ["MTR-5031"],
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
  },
  {
    ...errorFormat,
    status: "4xx",
    is: ["MTR-####"],
    code: "PROVIDER_REJECTED",
    outcome: "rejected",
  },
];

/** The adapter for Provider D's own API, modelled on insurers' publications and never run against an insurer. */
export const adapter: Adapter = jsonDialect(providerD, {
  failures,
  faults: { list: "/fields", field: "/name", names: fieldNames },
  login: {
    path: `${service}/login`,
    body: [
      ["/username", "/username", plainText],
      ["/password", "/password", plainText],
    ],
    token: "/token",
    expiresIn: "/expiresIn",
  },
  calls: {
    createApplication: {
      method: "POST",
      path: `${service}/applications`,
      body: [
        { group: ["/body", ""], fields: requestRows },
        ["/submissionId", "/externalReference", plainText],
      ],
      value: applicationRows,
      finish: carefulApplication,
    },
    searchApplications: {
      method: "GET",
      path: `${service}/applications`,
      query: [
        ["/query/clientAfm", "/taxNumber", plainText],
        ["/page/position", "/offset"],
        ["/page/size", "/limit"],
      ],
      pages: {
        style: "offset",
        from: 0,
        most: 50,
        items: "/applications",
        each: applicationRows,
        total: "/count",
      },
      byReference: {
        path: `${service}/applications/by-reference/{/submissionId}`,
        item: applicationRows,
      },
      finish: carefulApplication,
    },
  },
});

/**
 * Corrects a translated application: an unknown state of the insurer becomes "under review" with a reason, and only an
 * issued policy keeps a policy number.
 */
function carefulApplication(value: unknown, theirs: unknown): unknown {
  const {
    policy,
    statusReasons,
    ...rest
  }: { policy?: object; statusReasons?: unknown[] } & object = Object(value);
  const isKnown = Object.hasOwn(states, String(valueAt(theirs, "/state")).trim());
  const isIssued = valueAt(value, "/status") === "ISSUED";
  return {
    ...rest,
    policy: isIssued ? policy : { ...policy, policyNumber: null },
    statusReasons: isKnown ? statusReasons : [...(statusReasons ?? []), unknownStatus],
  };
}

const unknownStatus = {
  code: "UNKNOWN_STATUS",
  message: "The insurer's word for the status is not known to the gateway.",
  source: "GATEWAY",
} as const;
