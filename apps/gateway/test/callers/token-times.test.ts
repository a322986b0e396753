import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import { makeToken, SUBJECT } from "../harness/good-token.ts";
import { makeKeyPair } from "../harness/signing.ts";
import { authenticateBy, fixedClock, issuerOf, verdictOn } from "./direct.ts";

const NOW = 1_800_000_000;
const pair = makeKeyPair("rsa", { kid: "rsa-1" });

/** A token, the allowed clock difference in seconds, the changed claims, and the expected result. */
const cases: readonly [string, number, object, string][] = [
  [
    "the gateway refuses a token that expires in this second",
    0,
    { exp: NOW },
    "UNAUTHENTICATED expired",
  ],
  ["the gateway accepts a token that expires in the next second", 0, { exp: NOW + 1 }, SUBJECT],
  [
    "the gateway accepts a token that expires in a thousandth of a second",
    0,
    { exp: NOW + 0.001 },
    SUBJECT,
  ],
  ["the gateway accepts a token that started in this second", 0, { nbf: NOW }, SUBJECT],
  [
    "the gateway refuses a token that starts in the next second",
    0,
    { nbf: NOW + 1 },
    "UNAUTHENTICATED not_yet_valid",
  ],
  ["the gateway accepts a token that was issued in this second", 0, { iat: NOW }, SUBJECT],
  [
    "the gateway refuses a token that will be issued in the next second",
    0,
    { iat: NOW + 1 },
    "UNAUTHENTICATED not_yet_valid",
  ],
  ["the gateway accepts a token that expired 59 seconds ago", 60, { exp: NOW - 59 }, SUBJECT],
  [
    "the gateway refuses a token that expired 60 seconds ago",
    60,
    { exp: NOW - 60 },
    "UNAUTHENTICATED expired",
  ],
  ["the gateway accepts a token that starts in 60 seconds", 60, { nbf: NOW + 60 }, SUBJECT],
  [
    "the gateway refuses a token that starts in 61 seconds",
    60,
    { nbf: NOW + 61 },
    "UNAUTHENTICATED not_yet_valid",
  ],
  ["the gateway accepts a token that will be issued in 60 seconds", 60, { iat: NOW + 60 }, SUBJECT],
  [
    "the gateway refuses a token that will be issued in 61 seconds",
    60,
    { iat: NOW + 61 },
    "UNAUTHENTICATED not_yet_valid",
  ],
  [
    "the gateway accepts a token that expires at the end of the year 9999",
    60,
    { exp: 253_402_300_799 },
    SUBJECT,
  ],
  [
    "the gateway refuses a token that expires after the year 9999",
    60,
    { exp: 253_402_300_800 },
    "UNAUTHENTICATED no_instant",
  ],
];

describe("the validity period of tokens", () => {
  it.each(cases)(
    "%s, with an allowed clock difference of %i seconds",
    async (_, clockSkewSeconds, claims, verdict) => {
      const authenticate = authenticateBy([issuerOf([pair], { clockSkewSeconds })], {
        time: fixedClock(NOW),
      });
      const token = makeToken(pair, { claims: { iat: NOW - 300, exp: NOW + 300, ...claims } });
      expect(await verdictOn(authenticate, token)).toBe(verdict);
    },
  );

  it("the gateway checks a token's times with the clock difference that is configured for the token's issuer", async () => {
    const other = { issuer: "https://other.example", clockSkewSeconds: 60 };
    const strict = issuerOf([pair], { clockSkewSeconds: 10 });
    const authenticate = authenticateBy([strict, issuerOf([pair], other)], {
      time: fixedClock(NOW),
    });
    const claims = { iat: NOW - 300, exp: NOW - 30 };
    expect(await verdictOn(authenticate, makeToken(pair, { claims }))).toBe(
      "UNAUTHENTICATED expired",
    );
    expect(
      await verdictOn(authenticate, makeToken(pair, { claims: { ...claims, iss: other.issuer } })),
    ).toBe(SUBJECT);
  });
});

it.each([
  ["accepted 60 seconds before its start", -60, "broker-9"],
  ["refused 61 seconds before its start", -61, "UNAUTHENTICATED not_yet_valid"],
  ["accepted 59 seconds after its expiry", 600 + 59, "broker-9"],
  ["refused 60 seconds after its expiry", 600 + 60, "UNAUTHENTICATED expired"],
])("a development token is %s", async (_, seconds, verdict) => {
  const folder = makeGatewayFolder();
  onTestFinished(() => folder.remove());
  const issuer = await openDevelopmentIssuer(folder.path);
  const token = await issuer.sign({ subject: "broker-9", scope: "*", expiresInSeconds: 600 });
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  const authenticate = authenticateBy([issuer], { time: fixedClock(claims.iat + seconds) });
  expect(await verdictOn(authenticate, token)).toBe(verdict);
});
