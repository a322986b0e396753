import * as z from "zod";

/** The algorithms of tokens. None is symmetric, because everyone who can verify such a token can also forge one. */
export const issuer = z.strictObject({
  issuer: z.string().min(1).describe("The exact iss of its tokens"),
  audience: z.string().min(1).describe("The exact aud its tokens must have"),
  jwksUri: z.url({ protocol: /^https?$/ }).describe("Where its keys are"),
  algorithms: z
    .array(
      z.enum([
        "RS256",
        "RS384",
        "RS512",
        "PS256",
        "PS384",
        "PS512",
        "ES256",
        "ES384",
        "ES512",
        "EdDSA",
      ]),
    )
    .min(1)
    .describe("The signature algorithms its tokens may have"),
  typ: z
    .string()
    .min(1)
    .nullable()
    .default("at+jwt")
    .describe("The typ of its tokens' headers (RFC 9068); null for an issuer that sets none"),
  scopesRequired: z
    .boolean()
    .optional()
    .describe(
      "Whether a token allows only what its scope names, as PROVIDER:KIND; false when left out",
    ),
  clockSkewSeconds: z
    .int()
    .min(0)
    .max(60)
    .default(60)
    .describe("How far its clock and the gateway's may be apart"),
});

/** How tokens of every issuer are checked. */
export const authentication = z
  .strictObject({
    cachedTokens: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(10_000)
      .describe("How many verified tokens are remembered, by their hash"),
    cachedSeconds: z
      .int()
      .min(1)
      .max(3_600)
      .default(300)
      .describe("How long one is remembered, and never past its expiry"),
    refusedTokens: z
      .int()
      .min(1)
      .max(100_000)
      .default(100)
      .describe("So many refused tokens of one address in a minute, then RATE_LIMITED"),
  })
  .prefault({});
