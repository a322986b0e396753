import * as z from "zod";
import { givenCredentials, insurerCredentials } from "./provider.ts";
import { secret } from "./secret.ts";

/** The time zone whose calendar days usage and quotas are counted by. */
const timeZone = z
  .string()
  .refine(isTimeZone, "must be a time zone of the IANA database, such as Europe/Athens")
  .describe("The time zone whose calendar days usage and quotas are counted by");

/** How much an account may do on one day. */
const quotas = z.strictObject({
  requestsPerDay: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe("Maximum of calls of one account on a day (default: no limit)"),
  submissionsPerDay: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("Maximum of submissions of one account on a day (default: no limit)"),
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The id of an account; `default` is the provider's own. */
const accountId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "must be 1 to 64 letters, digits and . _ -, and begin with a letter or digit",
  )
  .refine((id) => id !== "default", "default is the provider's own account");

/** Control, format and other invisible characters: two names that differ by one of them look the same. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The value of a claim; nobody could tell two values apart that look the same. */
const tenantName = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (name) => !INVISIBLE.test(name) && name === name.trim(),
    "must have no invisible characters, and no white space at its ends",
  );

/** The names of a tenant. */
const tenant = z.strictObject({
  issuer: z.string().min(1).describe("The exact iss of its tokens"),
  name: tenantName.describe("The value of the claim in its tokens"),
});

/** The settings of the provider's package that differ from one account to another. */
const accountSettings = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    "What the provider's package asks for, over providers[].settings; a secret is { env } or { file }",
  );

const account = z.strictObject({
  id: accountId.describe("Names it in the store, logs and commands; never given to another tenant"),
  tenant,
  segment: z.string().min(1).describe("The provider's path segment"),
  credentials: insurerCredentials
    .optional()
    .describe("What the gateway sends to the insurer; left out for a simulated insurer"),
  settings: accountSettings,
  quotas: quotas.optional().describe("What it may do on a day, over accounts.quotas"),
});

/** An account that is kept in the store: its secrets are texts. */
export const givenAccount = z.strictObject({
  id: accountId,
  tenant,
  segment: z.string().min(1),
  credentials: givenCredentials.optional(),
  settings: z
    .record(
      z.string(),
      // Somebody who may add accounts must not read the gateway's environment or files.
      z
        .unknown()
        .refine(
          (value) => !secret.safeParse(value).success,
          "must be the value itself: it is encrypted in the store",
        ),
    )
    .optional(),
  quotas: quotas.optional(),
});

/** Whose credentials a call uses. */
export const accounts = z
  .strictObject({
    claim: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The claim of a token that names the tenant; without it every call uses the provider's own credentials",
      ),
    list: z
      // For thousands of accounts, compiled code takes a fifth of the time and of the memory; without any, nothing is compiled.
      .lazy(() => z.compile(z.array(account)))
      .default([])
      .describe("Accounts that are kept in this file; others are kept in the store, encrypted"),
    timeZone: timeZone.default("Europe/Athens"),
    quotas: quotas.prefault({}).describe("What each account may do on a day"),
  })
  .prefault({});
