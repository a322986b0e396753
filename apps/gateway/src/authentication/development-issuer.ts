import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import type { Issuer } from "./authenticate.ts";

/** The issuer of a first start, clearly named so that its tokens are never taken for real ones. */
const DEVELOPMENT_ISSUER = "urn:insurance-gateway:development-issuer";
const AUDIENCE = "insurance-gateway";
const ALGORITHM = "ES256";

/** What a development token says. */
export interface DevelopmentToken {
  readonly subject: string;
  /** Space-separated, as in RFC 6749, section 3.3. */
  readonly scope: string;
  readonly expiresInSeconds: number;
}

/** The development issuer: it signs tokens with a key in the data folder, and the gateway accepts them. */
export interface DevelopmentIssuer extends Issuer {
  sign(token: DevelopmentToken): Promise<string>;
}

/** Opens the development issuer of a data folder; its key is made on the first start and readable by its owner only. */
export async function openDevelopmentIssuer(data: string): Promise<DevelopmentIssuer> {
  const jwk = await readOrCreateKey(join(data, "development-issuer.json"));
  const signingKey = await importJWK(jwk, ALGORITHM);
  const { d: _secret, ...publicJwk } = jwk;
  const verificationKey = await importJWK(publicJwk, ALGORITHM);
  return {
    issuer: DEVELOPMENT_ISSUER,
    audience: AUDIENCE,
    algorithms: [ALGORITHM],
    keys: async () => verificationKey,
    sign: ({ subject, scope, expiresInSeconds }) =>
      new SignJWT({ scope })
        .setProtectedHeader({ alg: ALGORITHM, typ: "at+jwt" })
        .setIssuer(DEVELOPMENT_ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(subject)
        .setIssuedAt()
        .setJti(randomUUID())
        .setExpirationTime(`${expiresInSeconds} seconds`)
        .sign(signingKey),
  };
}

async function readOrCreateKey(file: string): Promise<JWK> {
  const existing = read(file);
  if (existing !== null) return existing;
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  mkdirSync(join(file, ".."), { recursive: true });
  try {
    writeFileSync(file, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process made it at the same moment: its key is the one.
    const late = read(file);
    if (late !== null) return late;
    throw error;
  }
  return readOrCreateKey(file);
}

function read(file: string): JWK | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
