import * as z from "zod";

/**
 * Where a secret is: an environment variable, or a file relative to the configuration. The value itself is only in accounts
 * that the store encrypts.
 */
export type SecretConfiguration =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly value: string };

/** A secret is never in the configuration itself, which names the environment variable or the file that has it. */
export const secret: z.ZodType<SecretConfiguration> = z
  .union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
    'must be { "env": "NAME" } or { "file": "PATH" }; a secret is never written into the configuration',
  )
  .describe(
    "Where the secret is: an environment variable, or a file relative to the configuration",
  );

/** A secret that is given with an account, to be encrypted in the store: its text. */
export const givenSecret: z.ZodType<SecretConfiguration> = z
  .string("must be a text")
  .min(1, "must not be empty")
  .transform((value) => ({ value }));

/** A certificate with its key, both in PEM. */
export function certificateOf(of: z.ZodType<SecretConfiguration>) {
  return z.strictObject({
    certificate: of.describe("The certificate and its chain, in PEM"),
    key: of.describe("Its private key, in PEM"),
  });
}

/** One whose parts are named. */
export const certificate = certificateOf(secret);
