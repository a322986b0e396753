import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import { authenticateBy, issuerOf, standing, verdictOn } from "./direct.ts";
import { makeToken, SUBJECT } from "./good-token.ts";
import { makeKeyPair } from "./signing.ts";

const NOW = 1_800_000_000;
const pair = makeKeyPair("rsa", { kid: "rsa-1" });

/** The allowed difference of the clocks in seconds, a token's claims, and the result. */
const cases: readonly [string, number, object, string][] = [
  ["that ends in this second", 0, { exp: NOW }, "UNAUTHENTICATED expired"],
  ["that ends in the next second", 0, { exp: NOW + 1 }, SUBJECT],
  ["that ends a thousandth from now", 0, { exp: NOW + 0.001 }, SUBJECT],
  ["that began in this second", 0, { nbf: NOW }, SUBJECT],
  ["that begins in the next second", 0, { nbf: NOW + 1 }, "UNAUTHENTICATED not_yet_valid"],
  ["that is of this second", 0, { iat: NOW }, SUBJECT],
  ["that is of the next second", 0, { iat: NOW + 1 }, "UNAUTHENTICATED not_yet_valid"],
  ["that ended 59 seconds ago", 60, { exp: NOW - 59 }, SUBJECT],
  ["that ended 60 seconds ago", 60, { exp: NOW - 60 }, "UNAUTHENTICATED expired"],
  ["that begins in 60 seconds", 60, { nbf: NOW + 60 }, SUBJECT],
  ["that begins in 61 seconds", 60, { nbf: NOW + 61 }, "UNAUTHENTICATED not_yet_valid"],
  ["that is issued in 60 seconds", 60, { iat: NOW + 60 }, SUBJECT],
  ["that is issued in 61 seconds", 60, { iat: NOW + 61 }, "UNAUTHENTICATED not_yet_valid"],
  ["that ends with the year 9999", 60, { exp: 253_402_300_799 }, SUBJECT],
  ["that ends after the year 9999", 60, { exp: 253_402_300_800 }, "UNAUTHENTICATED no_instant"],
];

describe("the time of a token", () => {
  it.each(cases)(
    "%s, with clocks %i seconds apart",
    async (_, clockSkewSeconds, claims, verdict) => {
      const authenticate = authenticateBy([issuerOf([pair], { clockSkewSeconds })], {
        time: standing(NOW),
      });
      const token = makeToken(pair, { claims: { iat: NOW - 300, exp: NOW + 300, ...claims } });
      expect(await verdictOn(authenticate, token)).toBe(verdict);
    },
  );

  it("is kept to by each issuer's own clock", async () => {
    const other = { issuer: "https://other.example", clockSkewSeconds: 60 };
    const strict = issuerOf([pair], { clockSkewSeconds: 10 });
    const authenticate = authenticateBy([strict, issuerOf([pair], other)], { time: standing(NOW) });
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
  ["a minute before", -60, "broker-9"],
  ["more than a minute before", -61, "UNAUTHENTICATED not_yet_valid"],
  ["less than a minute after", 600 + 59, "broker-9"],
  ["a minute after", 600 + 60, "UNAUTHENTICATED expired"],
])("a token of the development issuer, %s its time", async (_, seconds, verdict) => {
  const folder = makeGatewayFolder();
  onTestFinished(() => folder.remove());
  const issuer = await openDevelopmentIssuer(folder.path);
  const token = await issuer.sign({ subject: "broker-9", scope: "*", expiresInSeconds: 600 });
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  const authenticate = authenticateBy([issuer], { time: standing(claims.iat + seconds) });
  expect(await verdictOn(authenticate, token)).toBe(verdict);
});
