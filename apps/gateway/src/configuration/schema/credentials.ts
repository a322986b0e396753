import * as z from "zod";
import { isFreeHeader } from "../header-names.ts";
import { certificateOf, type SecretConfiguration } from "./secret.ts";
import { whole } from "./whole-number.ts";

const timeoutMs = whole(1, 600_000, 5_000).describe(
  "How long one fetch of a token may take, in milliseconds",
);

const expires = z.iso
  .date()
  .optional()
  .describe("The day on which it ends, YYYY-MM-DD: a metric and an alert warn ahead");

/** Printable ASCII without spaces around it. */
const word = z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII");

/**
 * The signature algorithms of tokens and client assertions (RFC 7518, section 3.1; RFC 8037). None is symmetric, because
 * everyone who can verify such a token can also forge one.
 */
export const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split(" ");

/** How the gateway and a server that it calls know each other. */
export function tlsOf(of: z.ZodType<SecretConfiguration>) {
  return z.strictObject({
    authorities: of
      .optional()
      .describe("The authorities that may certify the server, in PEM, instead of the usual ones"),
    client: certificateOf(of)
      .optional()
      .describe("The certificate that the gateway shows the server"),
  });
}

/** The schemas that the parts of an insurer's schema share. */
interface SharedSchemas {
  readonly address: z.ZodType<string>;
  readonly tls: ReturnType<typeof tlsOf>;
  readonly secret: z.ZodType<SecretConfiguration>;
}

/** Which keys each way to authenticate needs, the first, or may have; the others are for another way. */
const clientKeys = {
  client_secret_basic: ["clientSecret"],
  client_secret_post: ["clientSecret"],
  private_key_jwt: ["privateKey", "keyId", "algorithm"],
} as const;

/** The identity of a client at a token server. */
const clientOf = (secret: z.ZodType<SecretConfiguration>) => ({
  clientId: word.describe("The client's id at the token server"),
  clientAuthentication: z
    .enum(["client_secret_basic", "client_secret_post", "private_key_jwt"])
    .default("client_secret_basic")
    .describe("How the token server knows the gateway"),
  clientSecret: secret.optional(),
  privateKey: secret.optional().describe("The private key in PEM, for private_key_jwt"),
  keyId: word.optional().describe("The kid of the private key"),
  algorithm: z
    .enum(algorithms)
    .optional()
    .describe("The algorithm of the assertion (default: the usual one of the key)"),
});

const checkClient = z.superRefine<z.infer<z.ZodObject<ReturnType<typeof clientOf>>>>(
  (given, context) => {
    const way = given.clientAuthentication;
    const allowed: readonly string[] = clientKeys[way];
    const [needed] = clientKeys[way];
    if (given[needed] === undefined)
      context.addIssue({ code: "custom", path: [needed], message: `is needed for ${way}` });
    for (const key of new Set(Object.values(clientKeys).flat()))
      if (given[key] !== undefined && !allowed.includes(key))
        context.addIssue({ code: "custom", path: [key], message: `is not for ${way}` });
  },
);

/** One credential, or several that are sent together. */
export function credentials(shared: SharedSchemas) {
  const { secret } = shared;
  const login = { username: secret, password: secret };
  const one = z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("none") }),
    z.strictObject({ type: z.literal("bearer"), token: secret, expires }),
    z.strictObject({ type: z.literal("basic"), ...login, expires }),
    z.strictObject({
      type: z.literal("apiKey"),
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]+$/, "must be a header name")
        .refine(isFreeHeader, "must be a header that is free to set")
        .describe("The header that has the key"),
      value: secret,
      expires,
    }),
    z
      .strictObject({
        type: z.literal("oauth2").describe("OAuth 2 client credentials (RFC 6749, section 4.4)"),
        tokenUrl: shared.address.describe("The token server's address; the only one that is asked"),
        ...clientOf(secret),
        scope: word.optional().describe("The scopes that are asked for, with spaces between them"),
        audience: word.optional().describe("The parameter audience, where the token server has it"),
        tls: shared.tls.optional(),
        timeoutMs,
        expires,
      })
      .check(checkClient),
    z
      .strictObject({ type: z.literal("login"), ...login, timeoutMs, expires })
      .describe("The package's adapter logs in, and again before it ends"),
    z
      .strictObject({ type: z.literal("message"), ...login, expires })
      .describe("The package's adapter writes them into its messages"),
  ]);
  const several = z
    .array(one)
    .min(2)
    .max(4)
    .superRefine((list, context) => {
      const places = list.map(placeOf);
      for (const [index, place] of places.entries()) {
        const message = place === null ? "is for no list" : `sets ${place} a second time`;
        if (place === null || places.indexOf(place) < index)
          context.addIssue({ code: "custom", path: [index], message });
      }
    });
  return z.union([one, several]);
}

type SentCredential =
  | { readonly type: "apiKey"; readonly header: string }
  | { readonly type: "none" | "basic" | "bearer" | "oauth2" | "login" | "message" };

/** Where a credential is sent; null for none. */
function placeOf(credential: SentCredential): string | null {
  switch (credential.type) {
    case "none":
      return null;
    case "basic":
    case "bearer":
    case "oauth2":
      return "authorization";
    case "apiKey":
      return credential.header.toLowerCase();
    case "login":
    case "message":
      return `the ${credential.type}`;
  }
}
