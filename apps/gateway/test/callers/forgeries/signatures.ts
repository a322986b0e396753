import { goodClaims } from "../../harness/good-token.ts";
import { encode, publicPem, type Sign, signWith } from "../../harness/signing.ts";
import { changed, type Forger, type Forgery, OTHER_ISSUER, rewritten } from "./forgery.ts";

/** Returns a token whose header names the issuer's ES256 key. */
const elliptic = (name: string, sign: (forger: Forger) => Sign): Forgery =>
  changed(name, "wrong_signature", (forger) => ({
    header: { alg: "ES256", kid: "ec-1" },
    sign: sign(forger),
  }));
/** Returns a token with a stranger's signature. The token's header offers the stranger's key. */
const selfMade = (name: string, header: (forger: Forger) => object): Forgery =>
  changed(name, "wrong_signature", (forger) => ({
    header: header(forger),
    sign: signWith.RS256(forger.strangerRsa.key),
  }));
/** Returns a token with changed bytes in the signature. */
const resigned = (name: string, change: (signature: Buffer) => Buffer): Forgery =>
  changed(name, "wrong_signature", ({ rsa }) => ({
    sign: (input) => change(signWith.RS256(rsa.key)(input)),
  }));

const changedSignatures: readonly Forgery[] = [
  resigned("a signature without its last byte", (signature) => signature.subarray(0, -1)),
  resigned("a signature with an extra byte", (signature) =>
    Buffer.concat([signature, Buffer.of(0)]),
  ),
  resigned("a signature with one bit changed", (signature) => {
    const changed = Buffer.from(signature);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    return changed;
  }),
  resigned("a signature of zeros", () => Buffer.alloc(256)),
  resigned("a signature of one byte", () => Buffer.of(1)),
  rewritten("the signature of a token with other claims", "wrong_signature", (token) => {
    const [header, , signature] = token.split(".");
    return `Bearer ${header}.${encode(goodClaims({ sub: "admin" }))}.${signature}`;
  }),
  rewritten("the signature of a token with another header", "wrong_signature", (token) => {
    const [, claims, signature] = token.split(".");
    return `Bearer ${encode({ kid: "rsa-1", alg: "RS256", typ: "at+jwt" })}.${claims}.${signature}`;
  }),
  changed("a PS256 signature and alg RS256", "wrong_signature", ({ rsa }) => ({
    sign: signWith.PS256(rsa.key),
  })),
  elliptic("an ES256 signature in DER form", ({ ec }) => signWith["ES256 in DER"](ec.key)),
  elliptic("an ES256 signature of two zeros", () => () => Buffer.alloc(64)),
  elliptic("an ES256 signature whose two numbers are the order of the curve", () => () => {
    const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    return Buffer.from(order + order, "hex");
  }),
  elliptic("an ES256 signature of a stranger's key", ({ strangerEc }) =>
    signWith.ES256(strangerEc.key),
  ),
];

const keysOfOthers: readonly Forgery[] = [
  changed("a stranger's signature", "wrong_signature", ({ strangerRsa }) => ({
    sign: signWith.RS256(strangerRsa.key),
  })),
  changed("another issuer's signature", "wrong_signature", ({ otherRsa }) => ({
    sign: signWith.RS256(otherRsa.key),
  })),
  changed("another issuer's name, and this issuer's key under its own kid", "unknown_key", {
    claims: { iss: OTHER_ISSUER },
  }),
  changed(
    "another issuer's name, and this issuer's key under the other issuer's kid",
    "wrong_signature",
    {
      header: { kid: "other-rsa" },
      claims: { iss: OTHER_ISSUER },
    },
  ),
  changed("another issuer's key and kid", "unknown_key", ({ otherRsa }) => ({
    header: { kid: "other-rsa" },
    sign: signWith.RS256(otherRsa.key),
  })),
];

const broughtKeys: readonly Forgery[] = [
  selfMade("a stranger's key in its header", ({ strangerRsa }) => ({ jwk: strangerRsa.jwk })),
  selfMade("a stranger's key in its header, under the issuer's kid", ({ strangerRsa }) => ({
    jwk: { ...strangerRsa.jwk, kid: "rsa-1" },
  })),
  selfMade("an address of a key set in its header", ({ decoy }) => ({ jku: `${decoy}/jwks` })),
  selfMade("an address of a certificate in its header", ({ decoy }) => ({
    x5u: `${decoy}/certificate`,
  })),
  selfMade("a stranger's certificate in its header", ({ strangerRsa }) => ({
    x5c: [publicPem(strangerRsa).replaceAll(/-----[A-Z ]+-----|\n/g, "")],
  })),
  changed(
    "an address of a key set in its header, and a kid from there",
    "unknown_key",
    ({ decoy, strangerRsa }) => ({
      header: { jku: `${decoy}/jwks`, kid: "decoy" },
      sign: signWith.RS256(strangerRsa.key),
    }),
  ),
  changed("an address as kid", "unknown_key", ({ decoy, strangerRsa }) => ({
    header: { kid: `${decoy}/key` },
    sign: signWith.RS256(strangerRsa.key),
  })),
  changed("addresses of a key set in its claims", "wrong_signature", ({ decoy, strangerRsa }) => ({
    claims: { jwks_uri: `${decoy}/jwks`, jku: `${decoy}/jwks` },
    sign: signWith.RS256(strangerRsa.key),
  })),
];

/** All forgeries with a wrong signature. */
export const forgedSignatures: readonly Forgery[] = [
  ...changedSignatures,
  ...keysOfOthers,
  ...broughtKeys,
];
