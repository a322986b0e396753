import { describe, expect, it, vi } from "vitest";
import type { Authenticate } from "../../src/callers/authenticate.ts";
import { KeysUnavailableError } from "../../src/callers/issuer.ts";
import { countRefusedTokens, senderOf } from "../../src/callers/token-faults.ts";
import { issuerConfiguration, makeToken, SUBJECT } from "../harness/good-token.ts";
import { problemIn } from "../harness/problem.ts";
import { makeKeyPair, signWith } from "../harness/signing.ts";
import { startGatewayWithIssuers, startKeyServer } from "../harness/token-gateway.ts";
import { authenticateBy, countingIssuer, issuerOf, verdictOn } from "./direct.ts";

const pair = makeKeyPair("rsa", { kid: "rsa-1" });
const stranger = makeKeyPair("rsa", { kid: "rsa-1" });
const FLOOD = "RATE_LIMITED flood";
const FORGED = "UNAUTHENTICATED wrong_signature";

/** Returns a token with the signature of an unknown key. */
function forged(): string {
  return makeToken(stranger);
}

/**
 * Returns a token check that tolerates five refused tokens, with the logged reasons and the number of checked
 * signatures.
 */
function flooded(): {
  readonly authenticate: Authenticate;
  readonly told: readonly string[];
  readonly checks: () => number;
} {
  const { checks, issuer } = countingIssuer(pair);
  const told: string[] = [];
  const authenticate = authenticateBy([issuer], {
    refusedTokens: 5,
    tokenRefused: (fault) => told.push(fault),
  });
  return { authenticate, told, checks };
}

async function flood(authenticate: Authenticate, address?: string): Promise<void> {
  for (let count = 0; count < 5; count += 1)
    expect(await verdictOn(authenticate, forged(), address)).toBe(FORGED);
}

describe("a flood of refused tokens", () => {
  it("the gateway answers 429 with Retry-After to new tokens after too many refused tokens, and still accepts a cached token", async () => {
    const keyServer = await startKeyServer([pair.jwk]);
    const world = await startGatewayWithIssuers({
      issuers: [issuerConfiguration(`${keyServer.baseUrl}/jwks`)],
      authentication: { refusedTokens: 3 },
    });
    const good = `Bearer ${makeToken(pair)}`;
    expect((await world.ask(good)).status).toBe(200);
    for (const authorization of ["Basic eDp5", "Bearer abc", `Bearer ${forged()}`])
      expect((await world.ask(authorization)).status).toBe(401);

    for (const authorization of ["Basic eDp5", "Bearer abc", `Bearer ${makeToken(pair)}`]) {
      const response = await world.ask(authorization);
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
      expect(response.headers.get("www-authenticate")).toBeNull();
      expect(await problemIn(response)).toMatchObject({
        code: "RATE_LIMITED",
        outcome: "not_sent",
        retry: "safe",
      });
      expect(await world.loggedReason(response)).toBe("flood");
    }
    expect((await world.ask(good)).status).toBe(200);
    // The limit of refused tokens does not apply to requests without a token.
    expect((await world.ask(null)).status).toBe(401);
    expect(world.insurer.arrivals).toHaveLength(2);
    await world.stop();
    await keyServer.close();
  });

  it("the gateway checks no signature of a new token after the maximum number of refused tokens is reached", async () => {
    const { authenticate, checks, told } = flooded();
    await flood(authenticate);
    for (let count = 0; count < 50; count += 1)
      expect(await verdictOn(authenticate, forged())).toBe(FLOOD);
    expect(checks()).toBe(5);
    expect(told).toEqual([
      ...Array.from({ length: 5 }, () => "wrong_signature"),
      ...Array.from({ length: 50 }, () => "flood"),
    ]);
  });

  it("refused tokens from one IP address do not affect callers at another IP address", async () => {
    const { authenticate } = flooded();
    await flood(authenticate, "192.0.2.1");
    expect(await verdictOn(authenticate, makeToken(pair), "192.0.2.1")).toBe(FLOOD);
    expect(await verdictOn(authenticate, makeToken(pair), "192.0.2.2")).toBe(SUBJECT);
    expect(await verdictOn(authenticate, forged(), "192.0.2.2")).toBe(FORGED);
  });

  it("a flood of refused tokens does not block a cached token, even from the IP address of the flood", async () => {
    const { authenticate } = flooded();
    const good = makeToken(pair);
    expect(await verdictOn(authenticate, good, "192.0.2.2")).toBe(SUBJECT);
    await flood(authenticate, "192.0.2.1");
    expect(await verdictOn(authenticate, good, "192.0.2.1")).toBe(SUBJECT);
  });

  it("valid tokens, requests without a token and unavailable keys do not count as refused tokens", async () => {
    const issuer = issuerOf([pair]);
    const away = issuerOf([pair], {
      issuer: "https://away.example",
      findKey: () => Promise.reject(new KeysUnavailableError("timeout")),
    });
    const authenticate = authenticateBy([issuer, away], { refusedTokens: 1, cachedTokens: 0 });
    const address = () => "192.0.2.1";
    for (let count = 0; count < 10; count += 1) {
      expect(await verdictOn(authenticate, makeToken(pair))).toBe(SUBJECT);
      await expect(authenticate({ authorization: undefined, address })).rejects.toThrow(
        "UNAUTHENTICATED",
      );
      const unknown = makeToken(pair, { claims: { iss: "https://away.example" } });
      expect(await verdictOn(authenticate, unknown)).toBe(
        "AUTHENTICATION_UNAVAILABLE keys_unavailable",
      );
    }
  });

  it("the gateway, during a flood of refused tokens, accepts new tokens again one minute after the first refused token", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const { authenticate } = flooded();
      await flood(authenticate);
      vi.advanceTimersByTime(59_000);
      expect(await verdictOn(authenticate, makeToken(pair))).toBe(FLOOD);
      const refused = authenticate({
        authorization: "Bearer abc",
        address: () => "192.0.2.1",
      });
      await expect(refused).rejects.toMatchObject({ details: { headers: { "retry-after": "1" } } });
      vi.advanceTimersByTime(1_000);
      expect(await verdictOn(authenticate, makeToken(pair))).toBe(SUBJECT);
    } finally {
      vi.useRealTimers();
    }
  });

  it("a changed maximum of refused tokens applies at once to an IP address that has already sent refused tokens", () => {
    let most = 4;
    const refused = countRefusedTokens(() => most);
    const address = "192.0.2.1";
    for (let count = 0; count < 3; count += 1) refused.count(address);
    refused.admit(address);
    most = 3;
    expect(() => refused.admit(address)).toThrow("RATE_LIMITED");
    most = 4;
    refused.admit(address);
  });

  it("the gateway refuses an expired token without a check of the token's signature", async () => {
    const { authenticate, checks } = flooded();
    const exp = Math.floor(Date.now() / 1_000) - 3_600;
    const expired = makeToken(pair, { claims: { exp }, sign: signWith.RS256(pair.key) });
    for (let count = 0; count < 5; count += 1)
      expect(await verdictOn(authenticate, expired)).toBe("UNAUTHENTICATED expired");
    expect(checks()).toBe(0);
  });
});

describe("the limit of refused tokens for an IP address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::3:4:5:6:7", "2001:db8:0:3::/64"],
    ["2001::3:4:5:6:7:8", "2001:0:3:4::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("the limit of refused tokens counts the IP address %s as the sender %s", (address, sender) => {
    expect(senderOf(address)).toBe(sender);
  });
});
