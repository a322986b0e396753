import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { describe, expect, it, vi } from "vitest";
import { makeToken, SUBJECT } from "../harness/good-token.ts";
import { holdTime } from "../harness/held-time.ts";
import { makeKeyPair } from "../harness/signing.ts";
import { authenticateBy, countingIssuer, issuerOf, verdictOn } from "./direct.ts";

const pair = makeKeyPair("rsa", { kid: "rsa-1" });

describe("verified tokens", () => {
  it("the gateway verifies a cached token's signature again after the configured time", async () => {
    const { checks, issuer } = countingIssuer(pair);
    const time = holdTime();
    const authenticate = authenticateBy([issuer], { time, cachedSeconds: 120 });
    const token = makeToken(pair);
    expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    time.forward(119_999);
    expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    expect(checks()).toBe(1);
    time.forward(1);
    expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    expect(checks()).toBe(2);
  });

  it("the gateway accepts a cached token without another signature check, even if the scheme `Bearer` has other capitals", async () => {
    const { checks, issuer } = countingIssuer(pair, { scopesRequired: true });
    const authenticate = authenticateBy([issuer]);
    const token = makeToken(pair, { claims: { scope: "provider-a:lookup provider-b:*" } });
    const callers = [];
    for (const scheme of ["Bearer", "bearer", "BEARER "])
      callers.push(
        await authenticate({
          authorization: `${scheme} ${token}`,
          address: () => "::1",
        }),
      );
    for (const caller of callers)
      expect(caller).toEqual({
        issuer: issuer.issuer,
        subject: `sub ${SUBJECT}`,
        tenant: null,
        scopes: ["provider-a:lookup", "provider-b:*"],
      });
    expect(checks()).toBe(1);
  });

  it("the gateway refuses a cached token as soon as the token expires", async () => {
    const { checks, issuer } = countingIssuer(pair, { clockSkewSeconds: 0 });
    const time = holdTime();
    const authenticate = authenticateBy([issuer], { time });
    const exp = Math.floor(time.now() / 1_000) + 100;
    const token = makeToken(pair, { claims: { exp } });
    expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    time.forward(exp * 1_000 - 1 - time.now());
    expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    time.forward(1);
    expect(await verdictOn(authenticate, token)).toBe("UNAUTHENTICATED expired");
    expect(checks()).toBe(1);
  });

  it.each([
    [0, 3],
    [1, 1],
  ])(
    "three calls with one token, with a maximum of %i cached tokens, need exactly this number of signature checks: %i",
    async (cachedTokens, times) => {
      const { checks, issuer } = countingIssuer(pair);
      const authenticate = authenticateBy([issuer], { cachedTokens });
      const token = makeToken(pair);
      for (const _ of [1, 2, 3]) expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
      expect(checks()).toBe(times);
    },
  );

  it("a newly verified token replaces the least recently used cached token if the cache is full", async () => {
    const { checks, issuer } = countingIssuer(pair);
    const authenticate = authenticateBy([issuer], { cachedTokens: 2 });
    const [first = "", second = "", third = ""] = [1, 2, 3].map(() => makeToken(pair));
    for (const token of [first, second, first, third])
      expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    expect(checks()).toBe(3);
    expect(await verdictOn(authenticate, first)).toBe(SUBJECT);
    expect(checks()).toBe(3);
    expect(await verdictOn(authenticate, second)).toBe(SUBJECT);
    expect(checks()).toBe(4);
  });

  it("the gateway caches only the hash of a token", async () => {
    const set = vi.spyOn(LRUCache.prototype, "set");
    const token = makeToken(pair);
    expect(await verdictOn(authenticateBy([issuerOf([pair])]), token)).toBe(SUBJECT);
    const kept = JSON.stringify(set.mock.calls);
    set.mockRestore();
    expect(kept).toContain(createHash("sha256").update(token).digest("base64url"));
    for (const part of token.split(".")) expect(kept).not.toContain(part);
  });

  it("the gateway refuses an invalid token that starts with the same characters as a verified token", async () => {
    const authenticate = authenticateBy([issuerOf([pair])]);
    const token = makeToken(pair);
    expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
    expect(await verdictOn(authenticate, `${token}AA`)).toBe("UNAUTHENTICATED wrong_signature");
    expect(await verdictOn(authenticate, token.slice(0, -2))).toMatch(/^UNAUTHENTICATED /);
  });

  it("the gateway does not cache the refusal of a token, but checks the token again in each call", async () => {
    const { checks, issuer } = countingIssuer(pair);
    const authenticate = authenticateBy([issuer]);
    const stranger = makeKeyPair("rsa", { kid: "rsa-1" });
    const token = makeToken(stranger);
    for (const _ of [1, 2])
      expect(await verdictOn(authenticate, token)).toBe("UNAUTHENTICATED wrong_signature");
    expect(checks()).toBe(2);
  });
});
