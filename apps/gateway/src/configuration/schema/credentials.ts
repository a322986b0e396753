import * as z from "zod";
import { isAllowedHeader } from "../header-names.ts";
import { certificateOf, type SecretConfiguration } from "./secret.ts";
import { whole } from "./whole-number.ts";

const timeoutMs = whole(1, 600_000, 5_000).describe(
  "Timeout for one fetch of a token, in milliseconds",
);

const expires = z.iso
  .date()
  .optional()
  .describe(
    "The day on which the credentials expire, YYYY-MM-DD; a metric shows the day, and an alert warns before the day",
  );

/** Printable ASCII without spaces at the start or the end. */
const word = z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII");

/**
 * The allowed signature algorithms of tokens and client assertions (RFC 7518, section 3.1; RFC 8037). Symmetric
 * algorithms are missing, because everyone who can verify a symmetric signature can also forge one.
 */
export const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split(" ");

/** Returns the schema of the certificates for a server that the gateway calls. */
export function tlsOf(of: z.ZodType<SecretConfiguration>) {
  return z.strictObject({
    authorities: of
      .optional()
      .describe("The certificate authorities for the server, in PEM (default: those of Node.js)"),
    client: certificateOf(of)
      .optional()
      .describe("The certificate with which the gateway identifies itself to the server"),
  });
}

/** The schemas that differ between credentials in the configuration and credentials for the store. */
interface SharedSchemas {
  readonly address: z.ZodType<string>;
  readonly tls: ReturnType<typeof tlsOf>;
  readonly secret: z.ZodType<SecretConfiguration>;
}

/** The configuration keys that belong to each method of client authentication. The first key is required. */
const clientKeys = {
  client_secret_basic: ["clientSecret"],
  client_secret_post: ["clientSecret"],
  private_key_jwt: ["privateKey", "keyId", "algorithm"],
} as const;

/** Returns the keys of an OAuth 2 client: its id, and its secret or private key. */
const clientOf = (secret: z.ZodType<SecretConfiguration>) => ({
  clientId: word.describe("The client's id at the token server"),
  clientAuthentication: z
    .enum(["client_secret_basic", "client_secret_post", "private_key_jwt"])
    .default("client_secret_basic")
    .describe("The method by which the gateway authenticates at the token server"),
  clientSecret: secret.optional(),
  privateKey: secret.optional().describe("The private key in PEM, for private_key_jwt"),
  keyId: word.optional().describe("The kid of the private key"),
  algorithm: z
    .enum(algorithms)
    .optional()
    .describe(
      "The signature algorithm of the client assertion (default: the key's usual algorithm)",
    ),
});

const checkClient = z.superRefine<z.infer<z.ZodObject<ReturnType<typeof clientOf>>>>(
  (given, context) => {
    const way = given.clientAuthentication;
    const allowed: readonly string[] = clientKeys[way];
    const [needed] = clientKeys[way];
    if (given[needed] === undefined)
      context.addIssue({ code: "custom", path: [needed], message: `is required for ${way}` });
    for (const key of new Set(Object.values(clientKeys).flat()))
      if (given[key] !== undefined && !allowed.includes(key))
        context.addIssue({ code: "custom", path: [key], message: `must not be set for ${way}` });
  },
);

/** Returns the schema of one credential, or of several that the gateway sends together. */
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
        .refine(isAllowedHeader, "must be a header that the gateway does not set itself")
        .describe("The header for the key"),
      value: secret,
      expires,
    }),
    z
      .strictObject({
        type: z.literal("oauth2").describe("OAuth 2 client credentials (RFC 6749, section 4.4)"),
        tokenUrl: shared.address.describe(
          "The token server's address; the gateway sends requests for tokens only there",
        ),
        ...clientOf(secret),
        scope: word.optional().describe("The requested scopes, separated by spaces"),
        audience: word
          .optional()
          .describe("The request parameter audience, if the token server requires it"),
        tls: shared.tls.optional(),
        timeoutMs,
        expires,
      })
      .check(checkClient),
    z
      .strictObject({ type: z.literal("login"), ...login, timeoutMs, expires })
      .describe(
        "A login: the package's adapter logs in, and logs in again before the session ends",
      ),
    z
      .strictObject({ type: z.literal("message"), ...login, expires })
      .describe("Credentials that the package's adapter writes into its messages"),
  ]);
  const several = z
    .array(one)
    .min(2)
    .max(4)
    .superRefine((list, context) => {
      const places = list.map(placeOf);
      for (const [index, place] of places.entries()) {
        const message = place === null ? "must not be in a list" : `sets ${place} a second time`;
        if (place === null || places.indexOf(place) < index)
          context.addIssue({ code: "custom", path: [index], message });
      }
    });
  return z.union([one, several]);
}

type SentCredential =
  | { readonly type: "apiKey"; readonly header: string }
  | { readonly type: "none" | "basic" | "bearer" | "oauth2" | "login" | "message" };

/** Returns the header or the other place of a credential in a request; null for credentials without a fixed place. */
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
