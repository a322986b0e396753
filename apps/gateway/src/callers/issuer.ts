import type { FailureCause } from "@insurance-gateway/core/transport";
import type { CompactJWSHeaderParameters, CryptoKey } from "jose";

/** A public key of an issuer. */
export interface IssuerKey {
  readonly key: CryptoKey;
  /** Identifies the key with all its content, unlike `kid`. Another key never has the same id. */
  readonly id: string;
}

/** The public keys of an issuer. */
export interface IssuerKeys {
  /**
   * Finds the key that a token's header names with `kid`, for the algorithm `alg`. The search ignores `jku`, `jwk`,
   * `x5u` and `x5c`, with which a forger could name another key.
   * @throws KeysUnavailableError if the issuer's keys cannot be fetched; an error of jose if no key matches
   */
  findKey(header: CompactJWSHeaderParameters): Promise<IssuerKey>;
  /** Reports whether the last fetch of the issuer's keys returned this key. */
  hasKey(id: string): boolean;
}

/** An issuer whose tokens the gateway accepts. */
export interface Issuer extends IssuerKeys {
  /** The exact `iss` of the issuer's tokens. */
  readonly issuer: string;
  /** The exact `aud` of the issuer's tokens, or a member of an `aud` that is an array (RFC 7519, section 4.1.3). */
  readonly audience: string;
  /** The signature algorithms that the issuer's tokens may use. */
  readonly algorithms: readonly string[];
  /** The required media type in a token's `typ`, such as `at+jwt`; null if `typ` must be missing or `JWT`. */
  readonly typ: string | null;
  /** True if a token allows only the calls of its scopes. */
  readonly scopesRequired: boolean;
  /** Maximum difference between the clocks of the issuer and the gateway, in seconds. */
  readonly clockSkewSeconds: number;
}

/** The reason why an issuer's keys are unavailable: a failed fetch, an unusable answer, or no successful fetch yet. */
export type KeysFault = FailureCause | "not_ok" | "no_key_set" | "none_fetched";

/** The error for unavailable keys of an issuer. The error contains no part of the issuer's answer. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
  readonly fault: KeysFault;

  constructor(fault: KeysFault) {
    super(`The issuer's keys are unavailable: ${fault}`);
    this.fault = fault;
  }
}
