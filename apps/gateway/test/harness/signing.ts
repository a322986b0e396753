import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from "node:crypto";

/** Signs the header and the claims of a token. */
export type Sign = (input: string) => Buffer;

/** A private key, and the public key in the published form. */
export interface KeyPair {
  readonly key: KeyObject;
  readonly jwk: JsonWebKey;
}

const newKeys = {
  rsa: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  weakRsa: () => generateKeyPairSync("rsa", { modulusLength: 1024 }),
  ec: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ed25519: () => generateKeyPairSync("ed25519"),
};

/** Creates a key pair. `more` has further members of the published key, such as `kid`. */
export function makeKeyPair(kind: "rsa" | "weakRsa" | "ec" | "ed25519", more: object): KeyPair {
  const { privateKey, publicKey } = newKeys[kind]();
  return { key: privateKey, jwk: { ...publicKey.export({ format: "jwk" }), ...more } };
}

/** Returns the public key in PEM, as an attacker could use it as a shared secret. */
export function publicPem({ key }: KeyPair): string {
  return createPublicKey(key).export({ format: "pem", type: "spki" }).toString();
}

/**
 * Functions that sign by each algorithm with Node's cryptography, which is independent of the gateway's verification.
 */
export const signWith: Readonly<
  Record<"RS256" | "RS512" | "PS256" | "ES256" | "ES256 in DER" | "EdDSA", (key: KeyObject) => Sign>
> = {
  RS256: (key) => (input) => sign("sha256", Buffer.from(input), key),
  RS512: (key) => (input) => sign("sha512", Buffer.from(input), key),
  PS256: (key) => (input) =>
    sign("sha256", Buffer.from(input), {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: 32,
    }),
  ES256: (key) => (input) => sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }),
  // The DER form of signatures, as in certificates. Tokens must not have this form (RFC 7518, section 3.4).
  "ES256 in DER": (key) => (input) => sign("sha256", Buffer.from(input), key),
  EdDSA: (key) => (input) => sign(null, Buffer.from(input), key),
};

/** Signs with a shared secret. */
export function signHs256(secret: string): Sign {
  return (input) => createHmac("sha256", secret).update(input).digest();
}

/** A part of a token: an object as JSON, an unchanged text, or bytes. */
export type Part = object | string | Buffer;

/** Encodes a part of a token. */
export function encode(part: Part): string {
  const content = typeof part === "string" || Buffer.isBuffer(part) ? part : JSON.stringify(part);
  return Buffer.from(content).toString("base64url");
}

/** Returns a token of the given parts. The parts may be invalid. */
export function compact(header: Part, claims: Part, sign: Sign): string {
  return signed(`${encode(header)}.${encode(claims)}`, sign);
}

/** Appends a signature to the other parts of a token. */
export function signed(input: string, sign: Sign): string {
  return `${input}.${sign(input).toString("base64url")}`;
}
