import * as z from "zod";
import type { CertificateConfiguration, SecretConfiguration } from "../file.ts";

/** A secret is named, never written: the environment variable or the file that holds it. */
export const secret: z.ZodType<SecretConfiguration> = z
  .union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
    'must be { "env": "NAME" } or { "file": "PATH" }; a secret is never written into the configuration',
  )
  .describe(
    "Where the secret is: an environment variable, or a file relative to the configuration",
  );

/** A certificate with its key, both in PEM. */
export const certificate: z.ZodType<CertificateConfiguration> = z.strictObject({
  certificate: secret.describe("The certificate and its chain, in PEM"),
  key: secret.describe("Its private key, in PEM"),
});
