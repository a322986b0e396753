import { failureCodes, isHtml } from "@insurance-gateway/core/runtime";
import * as z from "zod";
import { credentials, tlsOf } from "./credentials.ts";
import { givenSecret, secret } from "./secret.ts";
import { whole } from "./whole-number.ts";

const milliseconds = z.int().min(1).max(600_000);
const percent = z.int().min(0).max(100);
const segment = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]*$/, "must be one path segment: letters, digits and . _ ~ -");

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { hash, password, search, username } = new URL(text);
  return `${username}${password}${search}${hash}` === "" && !/[?#]/.test(text);
}

/** The address of an insurer or a token server. */
const address = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine(
    isPlainAddress,
    "must have no user, password, query or fragment; the configuration must not contain a secret",
  );

const tls = tlsOf(secret);

/** The credentials that the gateway sends to an insurer. */
export const insurerCredentials = credentials({
  address,
  tls,
  secret,
});

/** The credentials of an account that is added to the store, with the secrets as texts. */
export const givenCredentials = credentials({
  address,
  tls: tlsOf(givenSecret),
  secret: givenSecret,
});

const insurer = z.strictObject({
  baseUrl: address.describe("The insurer's base address, to which the declared paths are appended"),
  adapter: z
    .literal("declared")
    .optional()
    .describe(
      "declared: the insurer's API equals the declared contract (default: the package's adapter translates calls)",
    ),
  credentials: insurerCredentials
    .default({ type: "none" })
    .describe("The gateway's credentials at the insurer"),
  tls: tls.optional(),
});

const timeouts = z.strictObject({
  connectMs: milliseconds
    .default(3_000)
    .describe("Timeout for a new connection, including TLS, in milliseconds"),
  totalMs: milliseconds
    .default(15_000)
    .describe("Timeout for a whole call that is not a submission, in milliseconds"),
  submissionMs: milliseconds
    .default(45_000)
    .describe("Timeout for a whole submission, in milliseconds"),
});

const retries = z
  .strictObject({
    attempts: whole(1, 10, 3).describe("Maximum number of attempts per call"),
    firstWaitMs: milliseconds
      .default(100)
      .describe(
        "Maximum of the first wait before a retry, in milliseconds; the maximum doubles with each retry",
      ),
    longestWaitMs: milliseconds
      .default(2_000)
      .describe("Maximum of each wait before a retry, in milliseconds"),
    budgetPercent: percent
      .default(20)
      .describe("Maximum number of retries, as a percentage of calls"),
  })
  .refine(({ firstWaitMs, longestWaitMs }) => firstWaitMs <= longestWaitMs, {
    path: ["firstWaitMs"],
    error: "must not be longer than longestWaitMs",
  });

const breaker = z
  .strictObject({
    failuresInRow: whole(1, 10_000, 5).describe(
      "Number of consecutive failures that open the circuit breaker",
    ),
    failurePercent: percent
      .min(1)
      .default(50)
      .describe("Percentage of failed calls in the window that opens the circuit breaker"),
    minCalls: whole(1, 10_000, 20).describe(
      "Minimum number of calls in the window before failurePercent can open the circuit breaker",
    ),
    windowMs: milliseconds
      .min(1_000)
      .default(30_000)
      .describe("Length of the window in which calls count, in milliseconds"),
    openMs: milliseconds
      .default(30_000)
      .describe(
        "Time for which the circuit breaker stays open, in milliseconds; the time doubles after each failed test call",
      ),
    longestOpenMs: milliseconds
      .default(300_000)
      .describe("Maximum time for which the circuit breaker stays open, in milliseconds"),
  })
  .refine(({ openMs, longestOpenMs }) => openMs <= longestOpenMs, {
    path: ["openMs"],
    error: "must not be longer than longestOpenMs",
  });

const bulkhead = z.strictObject({
  running: whole(1, 10_000, 32).describe("Maximum number of simultaneous calls to this insurer"),
  queued: whole(0, 10_000, 32).describe("Maximum number of calls that wait for a slot"),
  queueMs: milliseconds.default(250).describe("Maximum wait for a slot, in milliseconds"),
});

const callerLimit = z.strictObject({
  requests: whole(1, 1_000_000, 600).describe(
    "Maximum number of one caller's requests in the window",
  ),
  windowSeconds: whole(1, 86_400, 60).describe("Length of the window, in seconds"),
});

const answers = z.strictObject({
  jsonBytes: whole(1_024, 67_108_864, 2_097_152).describe(
    "Maximum size of a JSON answer of the insurer, in bytes",
  ),
  documentBytes: whole(1_024, 268_435_456, 20_971_520).describe(
    "Maximum size of a document of the insurer, in bytes",
  ),
  staleHours: whole(0, 720, 24).describe(
    "Maximum age in hours of a lookup answer that the gateway serves if the insurer fails; 0 for never",
  ),
  freshMinutes: z
    .int()
    .min(0)
    .max(43_200)
    .optional()
    .describe(
      "Maximum age in minutes of lookup answers from memory, if the package declares a longer time; 0 for never",
    ),
});

const compare = z.strictObject({
  except: z
    .array(
      z.string().regex(/^(\/([^~/]|~[01])+)+$/, "must be a JSON Pointer: /vehicle/plateNumber"),
    )
    .default([])
    .describe(
      "Fields of submissions and of search items that the gateway does not compare with the insurer's answer, until the provider's package has a normaliser for them",
    ),
  identifiers: z
    .record(z.string(), z.enum(["provider", "account"]))
    .default({})
    .describe(
      "The scope in which an endpoint's identifiers are unique, which overrides the package's declaration: provider, or account if the insurer numbers each account separately",
    ),
});

const pointer = z.string().regex(/^(\/([^~/]|~[01])+)+$/, "must be a JSON Pointer: /errors/0/code");
const refusalStatus = z.int().min(200).max(599);

/**
 * The meaning of an insurer's refusals. Each meaning requires the insurer's own error code, so that the answer of a
 * proxy in front of the insurer does not conclude a submission.
 */
const failure = z.strictObject({
  endpoint: z
    .string()
    .min(1)
    .exactOptional()
    .describe("The only endpoint to which this row applies (default: all endpoints)"),
  status: z
    .union([refusalStatus, z.array(refusalStatus).min(1), z.literal("4xx")])
    .describe("The status of the insurer's answer, a list of statuses, or 4xx"),
  media: z
    .string()
    .regex(/^[a-z]+\/[a-z0-9.+-]+$/, "must be a media type: application/json")
    .refine((media) => !isHtml(media), "must not be HTML, which proves nothing")
    .describe("The media type of the insurer's answer"),
  at: pointer.describe("The place of the insurer's code in the answer, as a JSON Pointer"),
  is: z
    .array(z.string().min(1))
    .min(1)
    .describe("The insurer's codes for this row; # matches any digit: MTR-####"),
  code: z.enum(failureCodes).describe("The code of the problem for callers"),
  outcome: z
    .enum(["rejected", "not_sent", "unknown"])
    .describe("The outcome that the answer proves"),
  afterActing: z
    .boolean()
    .exactOptional()
    .describe(
      "True if the answer proves the outcome even after the gateway sent the request on which the insurer acts",
    ),
  text: z.string().min(1).max(300).exactOptional().describe("The text of the problem for callers"),
  why: z
    .string()
    .min(1)
    .max(300)
    .describe("The place in the insurer's documentation that proves the outcome"),
});

const instant = z.iso
  .datetime({
    offset: true,
    error: "must be a time in the format of RFC 3339: 2026-12-05T22:00:00+02:00",
  })
  .describe("The start, in the format of RFC 3339");

const maintenance = z
  .strictObject({
    from: instant,
    to: instant.describe("The exclusive end, in the format of RFC 3339"),
    note: z.string().min(1).max(200).optional().describe("A note that callers can read"),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ["to"],
    error: "must be after from",
  });

/** The schema of a configured provider. */
export const provider = z.strictObject({
  package: z
    .string()
    .min(1)
    .describe("The provider's npm package, which must be installed in the configuration's folder"),
  segment: segment.optional().describe("The path segment (default: the provider's id)"),
  upstream: z
    .union([z.literal("sandbox"), insurer])
    .describe("The insurer; or sandbox, for the package's simulated insurer"),
  timeouts: timeouts.prefault({}),
  retries: retries.prefault({}).describe("Retries of failed calls; submissions are never retried"),
  breaker: breaker
    .prefault({})
    .describe("The circuit breaker, which refuses calls while the insurer fails"),
  bulkhead: bulkhead.prefault({}).describe("Limits of simultaneous and waiting calls"),
  callerLimit: callerLimit
    .prefault({})
    .describe("The request limit of one caller, which each gateway process counts separately"),
  answers: answers.prefault({}),
  failures: z
    .array(failure)
    .default([])
    .describe(
      "The meanings of the insurer's refusals that its package lacks; `insurance-gateway answers` lists such refusals",
    ),
  compare: compare
    .prefault({})
    .describe("Exceptions from the comparison of answers with their submissions and searches"),
  maintenance: z
    .array(maintenance)
    .default([])
    .describe(
      "The insurer's maintenance windows, in which the gateway refuses submissions and pauses reconciliation",
    ),
  settings: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "The settings of the provider's package, such as a tenant or an agent's code; a secret is { env } or { file } (default for a sandbox: the sandbox's settings)",
    ),
});
