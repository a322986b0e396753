import { Refusal } from "@insurance-gateway/core/runtime";
import {
  type Authenticate,
  type AuthenticateParts,
  type AuthenticationSettings,
  createAuthenticate,
} from "../../src/callers/authenticate.ts";
import type { Issuer } from "../../src/callers/issuer.ts";
import { publishedKeys } from "../../src/callers/published-keys.ts";
import { systemTime, type Time } from "../../src/time.ts";
import { AUDIENCE, ISSUER } from "./good-token.ts";
import type { KeyPair } from "./signing.ts";

/** The issuer of good tokens, with its keys. */
export function issuerOf(pairs: readonly KeyPair[], more: Partial<Issuer> = {}): Issuer {
  return {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ["RS256", "ES256"],
    typ: "at+jwt",
    scopesRequired: false,
    clockSkewSeconds: 60,
    ...publishedKeys({ keys: pairs.map(({ jwk }) => ({ kty: "", ...jwk })) }),
    ...more,
  };
}

/** An issuer that counts how often its keys are asked for: once for each signature that is checked. */
export interface CountingIssuer {
  readonly issuer: Issuer;
  readonly checks: () => number;
}

/** Makes an issuer of good tokens that counts. */
export function countingIssuer(pair: KeyPair, more: Partial<Issuer> = {}): CountingIssuer {
  const issuer = issuerOf([pair], more);
  let checks = 0;
  const findKey: Issuer["findKey"] = (header) => {
    checks += 1;
    return issuer.findKey(header);
  };
  return { issuer: { ...issuer, findKey }, checks: () => checks };
}

/** A clock that does not advance, in seconds since 1970. */
export function standing(seconds: number): Time {
  return { now: () => seconds * 1_000, elapsed: () => 0, every: () => async () => {} };
}

/** The gateway's authentication by itself, with its default settings but for what is given. */
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

/** The result of a token: the value of its `sub`, or the code and the reason that it is refused for. */
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
