import * as z from "zod";
import { algorithms } from "./credentials.ts";
import { whole } from "./whole-number.ts";

/** The schema of a configured issuer of tokens. */
export const issuer = z.strictObject({
  issuer: z.string().min(1).describe("The exact iss of the issuer's tokens"),
  audience: z.string().min(1).describe("The exact aud of the issuer's tokens"),
  jwksUri: z.url({ protocol: /^https?$/ }).describe("The address of the issuer's keys"),
  algorithms: z
    .array(z.enum(algorithms))
    .min(1)
    .describe("The allowed signature algorithms of the issuer's tokens"),
  typ: z
    .string()
    .min(1)
    .nullable()
    .default("at+jwt")
    .describe("The typ in the tokens' headers (RFC 9068); null if the tokens have no typ"),
  scopesRequired: z
    .boolean()
    .optional()
    .describe(
      "True if a token allows only the calls of its scopes, which are PROVIDER:KIND (default: false)",
    ),
  clockSkewSeconds: whole(0, 60, 60).describe(
    "Maximum difference between the clocks of the issuer and the gateway, in seconds",
  ),
});

/** The settings for the checks of all tokens, whatever their issuer. */
export const authentication = z
  .strictObject({
    cachedTokens: whole(0, 1_000_000, 10_000).describe(
      "Maximum number of verified tokens whose hashes are cached",
    ),
    cachedSeconds: whole(1, 3_600, 300).describe(
      "Maximum time in seconds for which a verified token is cached",
    ),
    refusedTokens: whole(1, 100_000, 100).describe(
      "Maximum number of refused tokens from one address in a minute; further tokens get RATE_LIMITED",
    ),
  })
  .prefault({});
