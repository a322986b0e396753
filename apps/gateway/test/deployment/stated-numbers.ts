/** A number that a document states and a constant in the code determines. */
export interface StatedNumber {
  readonly document: string;
  /** Matches the number's place in the document. The first group is the number. */
  readonly says: RegExp;
  readonly source: string;
  /** Matches the number's place in the code. The first group is a number, or a product of numbers. */
  readonly decides: RegExp;
  /** Number of the code's units in one unit of the document. Default: 1. */
  readonly unit?: number;
}

const DEPLOYING = "docs/deploying.md";
const LIMITS = "docs/limits.md";
const OBSERVING = "docs/observing.md";
const UPGRADING = "docs/upgrading.md";
const CONFIGURATION = "docs/configuration.md";
const DECISIONS_ON_ERRORS = "docs/decisions-errors.md";
const ERRORS = "docs/errors.md";
const SECURITY = "docs/security.md";
const USAGE = "docs/usage.md";
const SOURCE = "apps/gateway/src";
const MEGABYTES = 1_048_576;

const ownLimit = {
  source: `${SOURCE}/pipeline/own-routes.ts`,
  decides: /OWN_ROUTES_LIMIT = \{ requests: (\d+), windowSeconds: 60 \}/,
};
const waiting = {
  source: `${SOURCE}/http/connections.ts`,
  decides: /MAX_WAITING_REQUESTS = ([\d_]+);/,
};
const unread = {
  source: `${SOURCE}/http/listener/listener.ts`,
  decides: /READ_WITHIN_MS = ([\d_]+);/,
  unit: 1_000,
};
const faults = {
  source: "packages/core/src/rules/request-refusals.ts",
  decides: /MOST_FAULTS = ([\d_]+);/,
};
const longestRetryAfter = {
  source: "packages/core/src/rules/retry-after-header.ts",
  decides: /LONGEST_RETRY_AFTER_SECONDS = ([\d_]+);/,
};
const threads = {
  source: "apps/cli/bin/insurance-gateway.js",
  decides: /UV_THREADPOOL_SIZE \?\?= "(\d+)"/,
};
const node = {
  source: "apps/gateway/package.json",
  decides: /"node": ">=(\d+)\.0\.0"/,
};
const stopMargin = {
  source: `${SOURCE}/commands/serve.ts`,
  decides: /STOP_MARGIN_MS = ([\d_]+);/,
  unit: 1_000,
};

/**
 * Numbers that documents state and that no operator can configure. Another test checks the defaults of configuration
 * keys.
 */
export const statedNumbers: readonly StatedNumber[] = [
  { document: LIMITS, says: /^\| own addresses \|.*\| (\d+) a minute/m, ...ownLimit },
  { document: CONFIGURATION, says: /own addresses, (\d+) in 60 seconds/, ...ownLimit },
  { document: DECISIONS_ON_ERRORS, says: /and (\d+) to the gateway's own addresses/, ...ownLimit },
  { document: LIMITS, says: /^\| pipelined requests \|.*\| (\d+);/m, ...waiting },
  { document: "docs/threats.md", says: /at most (\d+) requests wait for the previous/, ...waiting },
  { document: DECISIONS_ON_ERRORS, says: /; (\d+) wait, more end the connection/, ...waiting },
  {
    document: UPGRADING,
    says: /written answer (\d+)\s+seconds after the longest call/,
    ...unread,
  },
  {
    document: CONFIGURATION,
    says: /answer (\d+) seconds\s+after the longest call/,
    ...unread,
  },
  { document: ERRORS, says: /all faults of the request, (\d+) at most/, ...faults },
  { document: DECISIONS_ON_ERRORS, says: /all faults at once, (\d+) at most/, ...faults },
  { document: ERRORS, says: /own value, up to (\d+)\s+seconds/, ...longestRetryAfter },
  {
    document: DECISIONS_ON_ERRORS,
    says: /its `Retry-After`, (\d+) s at most/,
    ...longestRetryAfter,
  },
  { document: LIMITS, says: /\| (\d+) threads, or `UV_THREADPOOL_SIZE`/, ...threads },
  { document: CONFIGURATION, says: /resolve host names; default: (\d+)\./, ...threads },
  { document: DEPLOYING, says: /A gateway needs Node (\d+),/, ...node },
  { document: CONFIGURATION, says: /The gateway needs Node (\d+) or newer/, ...node },
  {
    document: "README.md",
    says: /install Node (\d+) on Linux, which the gateway runs on/,
    ...node,
  },
  { document: "deploy/Dockerfile", says: /^FROM node:(\d+)-bookworm-slim$/m, ...node },
  {
    document: UPGRADING,
    says: /flight after the notice, [^.]* and (\d+)\s+seconds/,
    ...stopMargin,
  },
  { document: CONFIGURATION, says: /something remains (\d+) seconds after/, ...stopMargin },
  {
    document: LIMITS,
    says: /a reserve of (\d+) retries/,
    source: `${SOURCE}/insurers/resilience/retries.ts`,
    decides: /MAX_SAVED_RETRIES = ([\d_]+);/,
  },
  {
    document: LIMITS,
    says: /^\| stale responses \|.* (\d+) MB,/m,
    source: `${SOURCE}/insurers/lookups/lookup-responses.ts`,
    decides: /MAX_CACHED_BYTES = ([\d_ *]+);/,
    unit: MEGABYTES,
  },
  {
    document: OBSERVING,
    says: /process buffers\s+(\d+) MB\s+of\s+lines/,
    source: `${SOURCE}/operator/logging/logger.ts`,
    decides: /MAX_UNWRITTEN_BYTES = ([\d_ *]+);/,
    unit: MEGABYTES,
  },
  {
    document: LIMITS,
    says: /twice the limit, the process refuses (\d+) %/,
    source: `${SOURCE}/http/shedding.ts`,
    decides: /MAX_REFUSED_SHARE = ([\d.]+);/,
    unit: 0.01,
  },
  {
    document: OBSERVING,
    says: /disconnected first, the status is (\d+)/,
    source: `${SOURCE}/operator/observation/request-metrics.ts`,
    decides: /callerGone \? (\d+) :/,
  },
  {
    document: OBSERVING,
    says: /or if (\d+) % or more\s+of at least/,
    source: `${SOURCE}/operator/operations/provider-list.ts`,
    decides: /DEGRADED_ERROR_RATE = ([\d.]+);/,
    unit: 0.01,
  },
  {
    document: OBSERVING,
    says: /% or more of at least (\d+)\s+calls/,
    source: `${SOURCE}/operator/operations/provider-list.ts`,
    decides: /MIN_CALLS = ([\d_]+);/,
  },
  {
    document: USAGE,
    says: /Usage is deleted after (\d+) days/,
    source: `${SOURCE}/accounts/usage/account-usage.ts`,
    decides: /USAGE_KEPT_DAYS = (\d+);/,
  },
  {
    document: SECURITY,
    says: /nothing personal \| (\d+) days \|/,
    source: `${SOURCE}/accounts/usage/account-usage.ts`,
    decides: /USAGE_KEPT_DAYS = (\d+);/,
  },
  {
    document: USAGE,
    says: /`days`: the last (\d+) calendar days/,
    source: `${SOURCE}/accounts/usage/account-usage.ts`,
    decides: /AVAILABILITY_DAYS = (\d+);/,
  },
  {
    document: USAGE,
    says: /more than 1 in (\d+)\s+of/,
    source: `${SOURCE}/accounts/usage/counter.ts`,
    decides: /CALLS_PER_UNWRITTEN_CALL = (\d+);/,
  },
  {
    document: USAGE,
    says: /The first (\d+)\s+accounts/,
    source: `${SOURCE}/operator/observation/metrics.ts`,
    decides: /MAX_LABELLED_ACCOUNTS = (\d+);/,
  },
];
