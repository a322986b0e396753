import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { JWK } from "jose";
import { SignJWT } from "jose/jwt/sign";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { importJWK } from "jose/key/import";
import * as z from "zod";
import { DEVELOPMENT_ISSUER } from "../configuration/account-check.ts";
import { readOrCreate } from "../configuration/own-file.ts";
import type { Issuer } from "./issuer.ts";
import { readPublishedKeys } from "./published-keys.ts";

const AUDIENCE = "insurance-gateway";
const ALGORITHM = "ES256";
const TYP = "at+jwt";

/** The claims of a development token. */
export interface DevelopmentToken {
  readonly subject: string;
  /** The scopes of the token, separated by spaces (RFC 6749, section 3.3). */
  readonly scope: string;
  readonly expiresInSeconds: number;
  /** Further claims, such as the claim that names a tenant. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The issuer of development tokens. Its signing key is in the gateway's data folder. */
export interface DevelopmentIssuer extends Issuer {
  sign(token: DevelopmentToken): Promise<string>;
}

/**
 * Opens the development issuer. The gateway's first start creates the issuer's key in a file that only its owner can
 * read.
 */
export async function openDevelopmentIssuer(data: string): Promise<DevelopmentIssuer> {
  const jwk = await readOrCreateKey(join(data, "development-issuer.json"));
  const signingKey = await importJWK(jwk, ALGORITHM);
  const { d: _secret, ...publicJwk } = jwk;
  return {
    issuer: DEVELOPMENT_ISSUER,
    audience: AUDIENCE,
    algorithms: [ALGORITHM],
    typ: TYP,
    scopesRequired: true,
    clockSkewSeconds: 60,
    ...readPublishedKeys({ keys: [publicJwk] }),
    sign({ claims, subject, scope, expiresInSeconds }) {
      const issuedAt = Math.floor(Date.now() / 1_000);
      return new SignJWT({ ...claims, scope })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYP })
        .setIssuer(DEVELOPMENT_ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(subject)
        .setIssuedAt(issuedAt)
        .setJti(randomUUID())
        .setExpirationTime(issuedAt + expiresInSeconds)
        .sign(signingKey);
    },
  };
}

/** The members that the key file must have. jose checks the other members when it imports the key. */
const privateKeySchema = z.looseObject({ kty: z.string(), d: z.string() });

async function readOrCreateKey(file: string): Promise<JWK> {
  const text = await readOrCreate(file, async () => {
    const pair = await generateKeyPair(ALGORITHM, { extractable: true });
    return JSON.stringify(await exportJWK(pair.privateKey));
  });
  try {
    return privateKeySchema.parse(JSON.parse(text));
  } catch {
    // The new error has no `cause`, because the message of jose's error quotes the key file.
    throw new Error(
      `${file} contains no key of the development issuer. Delete it; the gateway then creates a new key, and tokens of the old key become invalid.`,
    );
  }
}
