import { Refusal } from "@insurance-gateway/core/runtime";
import {
  type Authenticate,
  type AuthenticateParts,
  type AuthenticationSettings,
  createAuthenticate,
} from "../../src/callers/authenticate.ts";
import type { Issuer } from "../../src/callers/issuer.ts";
import { readPublishedKeys } from "../../src/callers/published-keys.ts";
import { systemTime, type Time } from "../../src/time.ts";
import { AUDIENCE, ISSUER } from "../harness/good-token.ts";
import type { KeyPair } from "../harness/signing.ts";

/** Returns the issuer of good tokens, which publishes the given keys. */
export function issuerOf(pairs: readonly KeyPair[], more: Partial<Issuer> = {}): Issuer {
  return {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ["RS256", "ES256"],
    typ: "at+jwt",
    scopesRequired: false,
    clockSkewSeconds: 60,
    ...readPublishedKeys({ keys: pairs.map(({ jwk }) => ({ kty: "", ...jwk })) }),
    ...more,
  };
}

/** An issuer that counts the requests for a key. The token check requests a key once for each signature. */
export interface CountingIssuer {
  readonly issuer: Issuer;
  readonly checks: () => number;
}

/** Creates an issuer of good tokens that counts the signature checks. */
export function countingIssuer(pair: KeyPair, more: Partial<Issuer> = {}): CountingIssuer {
  const issuer = issuerOf([pair], more);
  let checks = 0;
  const findKey: Issuer["findKey"] = (header) => {
    checks += 1;
    return issuer.findKey(header);
  };
  return { issuer: { ...issuer, findKey }, checks: () => checks };
}

/** Returns a clock that always shows the same time, in seconds since 1970. */
export function fixedClock(seconds: number): Time {
  return { now: () => seconds * 1_000, elapsed: () => 0, every: () => async () => {} };
}

/** Creates the gateway's token check without a gateway. Omitted settings have the gateway's defaults. */
export function authenticateBy(
  issuers: readonly Issuer[],
  {
    time = systemTime,
    tokenRefused = () => {},
    ...more
  }: Partial<AuthenticationSettings & Omit<AuthenticateParts, "settings">> = {},
): Authenticate {
  const settings: AuthenticationSettings = {
    issuers,
    tokenBytes: 8_192,
    cachedTokens: 10_000,
    cachedSeconds: 300,
    refusedTokens: 100,
    ...more,
  };
  return createAuthenticate({ settings: () => settings, time, tokenRefused });
}

/** Returns the `sub` of an accepted token, or the code and the reason of a token's refusal. */
export async function verdictOn(
  authenticate: Authenticate,
  token: string,
  address = "192.0.2.1",
): Promise<string> {
  try {
    const { subject } = await authenticate({
      authorization: `Bearer ${token}`,
      address: () => address,
    });
    return subject.replace(/^sub /, "");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.code} ${error.details.reason}`;
  }
}
