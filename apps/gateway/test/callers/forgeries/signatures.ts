import { goodClaims } from "../good-token.ts";
import { encode, publicPem, type Sign, signWith } from "../signing.ts";
import { changed, type Forger, type Forgery, OTHER_ISSUER, rewritten } from "./forgery.ts";

/** A token of the issuer's key for ES256. */
const elliptic = (name: string, sign: (forger: Forger) => Sign): Forgery =>
  changed(name, "wrong_signature", (forger) => ({
    header: { alg: "ES256", kid: "ec-1" },
    sign: sign(forger),
  }));
/** A token that a stranger has signed, and whose header says where to find his key. */
const selfMade = (name: string, header: (forger: Forger) => object): Forgery =>
  changed(name, "wrong_signature", (forger) => ({
    header: header(forger),
    sign: signWith.RS256(forger.strangerRsa.key),
  }));
/** A token whose signature's bytes are changed. */
const resigned = (name: string, change: (signature: Buffer) => Buffer): Forgery =>
  changed(name, "wrong_signature", ({ rsa }) => ({
    sign: (input) => change(signWith.RS256(rsa.key)(input)),
  }));

const changedSignatures: readonly Forgery[] = [
  resigned("a signature without its last byte", (signature) => signature.subarray(0, -1)),
  resigned("a signature with a byte more", (signature) => Buffer.concat([signature, Buffer.of(0)])),
  resigned("a signature with one bit changed", (signature) => {
    const changed = Buffer.from(signature);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    return changed;
  }),
  resigned("a signature of zeros", () => Buffer.alloc(256)),
  resigned("a signature of one byte", () => Buffer.of(1)),
  rewritten("the signature of other claims", "wrong_signature", (token) => {
    const [header, , signature] = token.split(".");
    return `Bearer ${header}.${encode(goodClaims({ sub: "admin" }))}.${signature}`;
  }),
  rewritten("the signature of another header", "wrong_signature", (token) => {
    const [, claims, signature] = token.split(".");
    return `Bearer ${encode({ kid: "rsa-1", alg: "RS256", typ: "at+jwt" })}.${claims}.${signature}`;
  }),
  changed("a signature of PS256 that is called RS256", "wrong_signature", ({ rsa }) => ({
    sign: signWith.PS256(rsa.key),
  })),
  elliptic("a signature of ES256 in DER", ({ ec }) => signWith["ES256 in DER"](ec.key)),
  elliptic("a signature of ES256 whose numbers are zero", () => () => Buffer.alloc(64)),
  elliptic("a signature of ES256 whose numbers are the order of the curve", () => () => {
    const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    return Buffer.from(order + order, "hex");
  }),
  elliptic("a signature of ES256 by a stranger", ({ strangerEc }) =>
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
  changed("this issuer's key for another issuer, under its own name", "unknown_key", {
    claims: { iss: OTHER_ISSUER },
  }),
  changed("this issuer's key for another issuer, under that one's name", "wrong_signature", {
    header: { kid: "other-rsa" },
    claims: { iss: OTHER_ISSUER },
  }),
  changed(
    "another issuer's key for this one, under its own name",
    "unknown_key",
    ({ otherRsa }) => ({
      header: { kid: "other-rsa" },
      sign: signWith.RS256(otherRsa.key),
    }),
  ),
];

const broughtKeys: readonly Forgery[] = [
  selfMade("a key that it brings", ({ strangerRsa }) => ({ jwk: strangerRsa.jwk })),
  selfMade("a key that it brings under the issuer's name for it", ({ strangerRsa }) => ({
    jwk: { ...strangerRsa.jwk, kid: "rsa-1" },
  })),
  selfMade("an address of keys", ({ decoy }) => ({ jku: `${decoy}/jwks` })),
  selfMade("an address of a certificate", ({ decoy }) => ({ x5u: `${decoy}/certificate` })),
  selfMade("a certificate that it brings", ({ strangerRsa }) => ({
    x5c: [publicPem(strangerRsa).replaceAll(/-----[A-Z ]+-----|\n/g, "")],
  })),
  changed(
    "an address of keys, and the name of one there",
    "unknown_key",
    ({ decoy, strangerRsa }) => ({
      header: { jku: `${decoy}/jwks`, kid: "decoy" },
      sign: signWith.RS256(strangerRsa.key),
    }),
  ),
  changed("the address of its key for a name", "unknown_key", ({ decoy, strangerRsa }) => ({
    header: { kid: `${decoy}/key` },
    sign: signWith.RS256(strangerRsa.key),
  })),
  changed("an address of its issuer's metadata", "wrong_signature", ({ decoy, strangerRsa }) => ({
    claims: { jwks_uri: `${decoy}/jwks`, jku: `${decoy}/jwks` },
    sign: signWith.RS256(strangerRsa.key),
  })),
];

/** Every forgery that only its signature gives away. */
export const forgedSignatures: readonly Forgery[] = [
  ...changedSignatures,
  ...keysOfOthers,
  ...broughtKeys,
];
