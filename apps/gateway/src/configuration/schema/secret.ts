import * as z from "zod";

/**
 * The place of a secret: an environment variable, or a file relative to the configuration. An account that is
 * written to the encrypted store contains the secret itself instead.
 */
export type SecretConfiguration =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly value: string };

/**
 * The schema of a secret in the configuration: the name of an environment variable or a file that contains the secret.
 */
export const secret: z.ZodType<SecretConfiguration> = z
  .union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
    'must be { "env": "NAME" } or { "file": "PATH" }; the configuration must not contain the secret',
  )
  .describe(
    "The place of the secret: an environment variable, or a file relative to the configuration",
  );

/** The text of a secret in an account that the store encrypts. */
export const givenSecret: z.ZodType<SecretConfiguration> = z
  .string("must be a text")
  .min(1, "must not be empty")
  .transform((value) => ({ value }));

/** Returns the schema of a certificate with its key, both in PEM. */
export function certificateOf(of: z.ZodType<SecretConfiguration>) {
  return z.strictObject({
    certificate: of.describe("The certificate and its chain, in PEM"),
    key: of.describe("The certificate's private key, in PEM"),
  });
}

/** The schema of a certificate in the configuration: the places of the certificate and of its key. */
export const certificate = certificateOf(secret);
