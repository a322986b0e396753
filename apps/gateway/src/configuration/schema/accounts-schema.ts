import * as z from "zod";
import { givenCredentials, insurerCredentials } from "./provider.ts";
import { secret } from "./secret.ts";

/** The time zone for calendar days of usage and quotas. */
const timeZone = z
  .string()
  .refine(isTimeZone, "must be a time zone of the IANA database, such as Europe/Athens")
  .describe("The time zone for the calendar days of usage and quotas");

/** The daily limits of an account. */
const quotas = z.strictObject({
  requestsPerDay: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe("Maximum number of one account's calls in a day (default: no limit)"),
  submissionsPerDay: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("Maximum number of one account's submissions in a day (default: no limit)"),
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The id of an account. `default` is reserved for the provider's own account. */
const accountId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "must be 1 to 64 letters, digits and . _ -, and begin with a letter or digit",
  )
  .refine((id) => id !== "default", "must not be default, which is the provider's own account");

/** Control, format and other invisible characters. Two names that differ only by such a character look the same. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** A tenant's value of the claim. Invisible characters are refused, because people could not distinguish two values. */
const tenantName = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (name) => !INVISIBLE.test(name) && name === name.trim(),
    "must have no invisible characters and no white space at its start or end",
  );

/** The issuer and the name of a tenant. */
const tenant = z.strictObject({
  issuer: z.string().min(1).describe("The exact iss of the tenant's tokens"),
  name: tenantName.describe("The value of accounts.claim in the tenant's tokens"),
});

/** The settings of the provider's package that differ between accounts. */
const accountSettings = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    "The account's settings for the provider's package, which override providers[].settings; a secret is { env: NAME } or { file: PATH }",
  );

const account = z.strictObject({
  id: accountId.describe(
    "The account's id in the store, logs and commands, which must never be reused for another tenant",
  ),
  tenant,
  segment: z.string().min(1).describe("The provider's path segment"),
  credentials: insurerCredentials
    .optional()
    .describe(
      "The credentials that the gateway sends to the insurer; must not be set for a simulated insurer",
    ),
  settings: accountSettings,
  quotas: quotas.optional().describe("The account's daily quotas, which override accounts.quotas"),
});

/** An account that an operator adds to the store, with its secrets as texts. */
export const givenAccount = z.strictObject({
  id: accountId,
  tenant,
  segment: z.string().min(1),
  credentials: givenCredentials.optional(),
  settings: z
    .record(
      z.string(),
      // A secret must not be { env } or { file }, with which an account's author could read the gateway's secrets.
      z
        .unknown()
        .refine(
          (value) => !secret.safeParse(value).success,
          "must be the secret itself, which the store encrypts",
        ),
    )
    .optional(),
  quotas: quotas.optional(),
});

/** The accounts of tenants. The gateway uses an account's credentials for the tenant's calls. */
export const accounts = z
  .strictObject({
    claim: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The claim of a token that names the tenant (default: every call uses the provider's own credentials)",
      ),
    list: z
      // Compiled code checks thousands of accounts in a fifth of the time and memory. `lazy` compiles only if there are
      // accounts.
      .lazy(() => z.compile(z.array(account)))
      .default([])
      .describe("The accounts in this file; the encrypted store may have further accounts"),
    timeZone: timeZone.default("Europe/Athens"),
    quotas: quotas.prefault({}).describe("The daily quotas of each account"),
  })
  .prefault({});
