import * as z from "zod";
import { algorithms } from "./credentials.ts";
import { whole } from "./whole-number.ts";

/** Who issues tokens. */
export const issuer = z.strictObject({
  issuer: z.string().min(1).describe("The exact iss of its tokens"),
  audience: z.string().min(1).describe("The exact aud its tokens must have"),
  jwksUri: z.url({ protocol: /^https?$/ }).describe("Where its keys are"),
  algorithms: z
    .array(z.enum(algorithms))
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
    .describe("Whether a token allows only its scope, as PROVIDER:KIND (default: false)"),
  clockSkewSeconds: whole(0, 60, 60).describe("How far its clock and the gateway's may be apart"),
});

/** How tokens of every issuer are checked. */
export const authentication = z
  .strictObject({
    cachedTokens: whole(0, 1_000_000, 10_000).describe(
      "How many verified tokens are remembered, by their hash",
    ),
    cachedSeconds: whole(1, 3_600, 300).describe(
      "How long one is remembered, and never past its expiry",
    ),
    refusedTokens: whole(1, 100_000, 100).describe(
      "So many refused tokens of one address in a minute, then RATE_LIMITED",
    ),
  })
  .prefault({});
