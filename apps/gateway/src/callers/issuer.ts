import type { FailureCause } from "@insurance-gateway/core/transport";
import type { CompactJWSHeaderParameters, CryptoKey } from "jose";

/** A key of an issuer. */
export interface IssuerKey {
  readonly key: CryptoKey;
  /** Names the key and its material; another key never has it. */
  readonly id: string;
}

/** The keys of an issuer. */
export interface IssuerKeys {
  /**
   * Finds the key that a token's header names with `kid`. Nothing else of the header is looked at but `alg`: `jku`,
   * `jwk`, `x5u` and `x5c` are what the sender of the token says of himself.
   * @throws KeysUnavailableError when the issuer's keys cannot be fetched; an error of jose when none is the token's
   */
  findKey(header: CompactJWSHeaderParameters): Promise<IssuerKey>;
  /** Whether the issuer published this key when its keys were last fetched. */
  hasKey(id: string): boolean;
}

/** One issuer whose tokens are accepted. */
export interface Issuer extends IssuerKeys {
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  /** The exact `aud`, or a member of it where it is an array (RFC 7519, section 4.1.3). */
  readonly audience: string;
  /** The signature algorithms its tokens may have. */
  readonly algorithms: readonly string[];
  /** The media type in its tokens' `typ`, with or without `application/`; null if it sets none, or `JWT`. */
  readonly typ: string | null;
  /** Whether a token allows only what its scope names. */
  readonly scopesRequired: boolean;
  /** How far its clock and the gateway's may be apart. */
  readonly clockSkewSeconds: number;
}

/** Why an issuer's keys cannot be had: there was no answer, or it is none, or there has been none. */
export type KeysFault = FailureCause | "not_ok" | "no_key_set" | "none_fetched";

/** An issuer's keys cannot be had. It holds nothing of what the issuer answered. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
  readonly fault: KeysFault;

  constructor(fault: KeysFault) {
    super(`The issuer's keys cannot be had: ${fault}`);
    this.fault = fault;
  }
}
