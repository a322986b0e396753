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

/** An address that is called as it is. */
const address = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine(
    isPlainAddress,
    "must have no user, password, query or fragment; a secret is never written into the configuration",
  );

const tls = tlsOf(secret);

/** The credentials that the gateway sends to an insurer. */
export const insurerCredentials = credentials({
  address,
  tls,
  secret,
});

/** The same with the secrets themselves, as accounts are added to the store. */
export const givenCredentials = credentials({
  address,
  tls: tlsOf(givenSecret),
  secret: givenSecret,
});

const insurer = z.strictObject({
  baseUrl: address.describe(
    "The insurer's base address; paths of the declaration are appended to it",
  ),
  adapter: z
    .literal("declared")
    .optional()
    .describe(
      "declared: the insurer speaks the declared contract itself (default: the dialect of the package's own adapter)",
    ),
  credentials: insurerCredentials
    .default({ type: "none" })
    .describe("How the gateway proves who it is to the insurer"),
  tls: tls.optional(),
});

const timeouts = z.strictObject({
  connectMs: milliseconds.default(3_000).describe("Making a connection, TLS included"),
  totalMs: milliseconds.default(15_000).describe("Everything, for other kinds than submissions"),
  submissionMs: milliseconds.default(45_000).describe("Everything, for submissions"),
});

const retries = z
  .strictObject({
    attempts: whole(1, 10, 3).describe("How often a call is made at most"),
    firstWaitMs: milliseconds
      .default(100)
      .describe("The first wait is up to this long; each later one up to twice as long"),
    longestWaitMs: milliseconds.default(2_000).describe("No wait is longer"),
    budgetPercent: percent.default(20).describe("How many calls in a hundred may be made again"),
  })
  .refine(({ firstWaitMs, longestWaitMs }) => firstWaitMs <= longestWaitMs, {
    path: ["firstWaitMs"],
    error: "must not be longer than longestWaitMs",
  });

const breaker = z
  .strictObject({
    failuresInRow: whole(1, 10_000, 5).describe("So many failures in a row open it"),
    failurePercent: percent
      .min(1)
      .default(50)
      .describe("So many failures in a hundred of the window's calls open it"),
    leastCalls: whole(1, 10_000, 20).describe("When the window has so many calls"),
    windowMs: milliseconds.min(1_000).default(30_000).describe("How long a call counts"),
    openMs: milliseconds.default(30_000).describe("How long it stays open, and doubles each time"),
    longestOpenMs: milliseconds.default(300_000).describe("It stays open no longer"),
  })
  .refine(({ openMs, longestOpenMs }) => openMs <= longestOpenMs, {
    path: ["openMs"],
    error: "must not be longer than longestOpenMs",
  });

const bulkhead = z.strictObject({
  running: whole(1, 10_000, 32).describe("Calls of this insurer at one time"),
  queued: whole(0, 10_000, 32).describe("Calls that wait for one of them to end"),
  queueMs: milliseconds.default(250).describe("How long one waits"),
});

const callerLimit = z.strictObject({
  requests: whole(1, 1_000_000, 600).describe("Requests of one caller"),
  windowSeconds: whole(1, 86_400, 60).describe("In this time"),
});

const answers = z.strictObject({
  jsonBytes: whole(1_024, 67_108_864, 2_097_152).describe("The insurer's JSON"),
  documentBytes: whole(1_024, 268_435_456, 20_971_520).describe("The insurer's document"),
  staleHours: whole(0, 720, 24).describe(
    "How old a lookup's answer may be that is served when the insurer fails; 0 for never",
  ),
  freshMinutes: z
    .int()
    .min(0)
    .max(43_200)
    .optional()
    .describe(
      "The longest that lookups are answered from memory, where the package declares longer; 0 for never",
    ),
});

const compare = z.strictObject({
  except: z
    .array(
      z.string().regex(/^(\/([^~/]|~[01])+)+$/, "must be a JSON Pointer: /vehicle/plateNumber"),
    )
    .default([])
    .describe(
      "Fields of a submission or of a search's items that are not compared with the insurer's answer, until the provider's package has a normaliser for them",
    ),
  identifiers: z
    .record(z.string(), z.enum(["provider", "account"]))
    .default({})
    .describe(
      "How far the insurer's identifiers are unique, by endpoint, where the package declares otherwise: provider, or account where it numbers each account by itself",
    ),
});

const pointer = z.string().regex(/^(\/([^~/]|~[01])+)+$/, "must be a JSON Pointer: /errors/0/code");
const refusalStatus = z.int().min(200).max(599);

/** A row without a code of the insurer's own would let anything in front of it end a submission. */
const failure = z.strictObject({
  endpoint: z.string().min(1).exactOptional().describe("Only for this endpoint, by its name"),
  status: z
    .union([refusalStatus, z.array(refusalStatus).min(1), z.literal("4xx")])
    .describe("The status of the insurer's answer, several, or 4xx"),
  media: z
    .string()
    .regex(/^[a-z]+\/[a-z0-9.+-]+$/, "must be a media type: application/json")
    .refine((media) => !isHtml(media), "must not be HTML, which proves nothing")
    .describe("The media type of the insurer's answer"),
  at: pointer.describe("Where the insurer's answer has its code, as a JSON Pointer"),
  is: z
    .array(z.string().min(1))
    .min(1)
    .describe("The codes that the row is for; # is any digit: MTR-####"),
  code: z.enum(failureCodes).describe("What callers get"),
  outcome: z
    .enum(["rejected", "not_sent", "unknown"])
    .describe("What the answer proves about the insurer"),
  afterActing: z
    .boolean()
    .exactOptional()
    .describe("Whether it proves that also of a later request of a submission"),
  text: z.string().min(1).max(300).exactOptional().describe("What callers read"),
  why: z.string().min(1).max(300).describe("Where the insurer documents what it proves"),
});

const instant = z.iso
  .datetime({ offset: true, error: "must be an instant of RFC 3339: 2026-12-05T22:00:00+02:00" })
  .describe("An instant of RFC 3339");

const maintenance = z
  .strictObject({
    from: instant,
    to: instant.describe("An instant of RFC 3339, not included"),
    note: z.string().min(1).max(200).optional().describe("What callers read"),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ["to"],
    error: "must be after from",
  });

/** One provider. */
export const provider = z.strictObject({
  package: z.string().min(1).describe("The provider's package, installed beside the configuration"),
  segment: segment.optional().describe("The path segment (default: the provider's id)"),
  upstream: z
    .union([z.literal("sandbox"), insurer])
    .describe("The insurer, or sandbox for the package's simulated insurer"),
  timeouts: timeouts.prefault({}),
  retries: retries.prefault({}).describe("Making calls again; submissions never are"),
  breaker: breaker.prefault({}).describe("Failing immediately while the insurer fails"),
  bulkhead: bulkhead.prefault({}).describe("How many calls one insurer may have in progress"),
  callerLimit: callerLimit.prefault({}).describe("Counted in each gateway process by itself"),
  answers: answers.prefault({}),
  failures: z
    .array(failure)
    .default([])
    .describe(
      "What refusals of the insurer mean that its package does not know yet; `insurance-gateway answers` shows them",
    ),
  compare: compare
    .prefault({})
    .describe("Comparing answers to submissions and searches with their calls"),
  maintenance: z
    .array(maintenance)
    .default([])
    .describe(
      "When the insurer maintains its service: submissions are refused, and reconciliation waits",
    ),
  settings: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "The settings of the provider's package, such as a tenant or an agent's code; a secret is { env } or { file } (default for a sandbox: its own)",
    ),
});
