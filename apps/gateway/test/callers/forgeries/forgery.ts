import type { TokenFault } from "../../../src/callers/token-faults.ts";
import {
  AUDIENCE,
  issuerConfiguration,
  makeToken,
  type TokenChanges,
} from "../../harness/good-token.ts";
import { type KeyPair, makeKeyPair } from "../../harness/signing.ts";

/** A configured issuer that is not the issuer of good tokens. */
export const OTHER_ISSUER = "https://other.example";

/** The keys for forged tokens. */
export interface Forger {
  /** The key of good tokens, `rsa-1`. */
  readonly rsa: KeyPair;
  /** Another key of the issuer of good tokens, `ec-1`. */
  readonly ec: KeyPair;
  /** The other issuer's keys, `other-rsa` and `other-ed`. */
  readonly otherRsa: KeyPair;
  readonly otherEd: KeyPair;
  /** Keys that belong to no issuer. */
  readonly strangerRsa: KeyPair;
  readonly strangerEc: KeyPair;
  /**
   * Unusable keys of the issuer of good tokens: too short, for encryption, for another algorithm, with a private part.
   */
  readonly weak: KeyPair;
  readonly encrypting: KeyPair;
  readonly contradicting: KeyPair;
  readonly overshared: KeyPair;
  /** The address of a server. Only forged tokens contain this address. */
  readonly decoy: string;
}

/** A forged token. */
export interface Forgery {
  readonly name: string;
  /** The expected reason for the refusal in the operator's log. */
  readonly fault: TokenFault;
  /** Returns the Authorization header with the forged token. */
  readonly make: (forger: Forger) => string;
}

/** Creates the keys for forged tokens. */
export function makeForger(decoy: string): Forger {
  const rsa = makeKeyPair("rsa", { kid: "rsa-1", alg: "RS256", use: "sig" });
  const strangerRsa = makeKeyPair("rsa", {});
  return {
    rsa,
    ec: makeKeyPair("ec", { kid: "ec-1", alg: "ES256", use: "sig" }),
    otherRsa: makeKeyPair("rsa", { kid: "other-rsa", alg: "RS256" }),
    otherEd: makeKeyPair("ed25519", { kid: "other-ed", alg: "EdDSA" }),
    strangerRsa,
    strangerEc: makeKeyPair("ec", {}),
    weak: makeKeyPair("weakRsa", { kid: "weak", alg: "RS256" }),
    encrypting: published(strangerRsa, { kid: "encrypting", use: "enc" }),
    contradicting: published(strangerRsa, { kid: "contradicting", alg: "RS512" }),
    overshared: published(strangerRsa, {
      ...strangerRsa.key.export({ format: "jwk" }),
      kid: "overshared",
    }),
    decoy,
  };
}

function published({ jwk, key }: KeyPair, more: object): KeyPair {
  return { key, jwk: { ...jwk, ...more } };
}

/** Returns the keys that the two configured issuers publish. */
export function publishedBy(forger: Forger): {
  readonly issuer: readonly object[];
  readonly other: readonly object[];
} {
  const { contradicting, ec, encrypting, otherEd, otherRsa, overshared, rsa, weak } = forger;
  return {
    issuer: [rsa, ec, weak, encrypting, contradicting, overshared].map(({ jwk }) => jwk),
    other: [otherRsa, otherEd].map(({ jwk }) => jwk),
  };
}

/** Returns the settings of the two configured issuers. */
export function forgedIssuers(jwksUri: string, otherJwksUri: string): readonly object[] {
  const other = { issuer: OTHER_ISSUER, audience: AUDIENCE, jwksUri: otherJwksUri };
  return [issuerConfiguration(jwksUri), { ...other, algorithms: ["RS256", "EdDSA"] }];
}

/**
 * Returns a forgery that differs from a good bearer token only by a change of the header, the claims or the signature.
 */
export function changed(
  name: string,
  fault: TokenFault,
  change: TokenChanges | ((forger: Forger) => TokenChanges),
): Forgery {
  return {
    name,
    fault,
    make: (forger) => {
      const changes = typeof change === "function" ? change(forger) : change;
      return `Bearer ${makeToken(forger.rsa, changes)}`;
    },
  };
}

/** Returns a forgery that changes the text of a good bearer token. */
export function rewritten(
  name: string,
  fault: TokenFault,
  rewrite: (token: string, forger: Forger) => string,
): Forgery {
  return { name, fault, make: (forger) => rewrite(makeToken(forger.rsa), forger) };
}
