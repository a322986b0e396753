import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Insurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { AUDIENCE, goodClaims, goodHeader, issuerConfiguration, makeToken } from "./good-token.ts";
import { compact, type KeyPair, makeKeyPair, type Sign, signWith } from "./signing.ts";
import { startKeyServer, startTokenGateway, type TokenGateway } from "./token-gateway.ts";

/** An issuer for each way to be one; each has a server of its own. */
const ISSUERS = {
  many: "https://login.example",
  other: "https://other.example",
  plain: "https://plain.example",
};

describe("a good token", () => {
  const rsa = makeKeyPair("rsa", { kid: "rsa-1", alg: "RS256", use: "sig" });
  const pss = makeKeyPair("rsa", { kid: "pss-1" });
  const ec = makeKeyPair("ec", { kid: "ec-1", key_ops: ["verify"] });
  const ed = makeKeyPair("ed25519", { kid: "ed-1" });
  const plain = makeKeyPair("ec", {});
  let world: TokenGateway;
  let servers: readonly Insurer[];
  let decoy: Insurer;

  beforeAll(async () => {
    servers = await Promise.all([
      startKeyServer([rsa, ec].map(({ jwk }) => jwk)),
      startKeyServer([pss, ed].map(({ jwk }) => jwk)),
      startKeyServer([plain.jwk]),
    ]);
    decoy = await startKeyServer([]);
    const [many = "", other = "", bare = ""] = servers.map(({ baseUrl }) => `${baseUrl}/jwks`);
    world = await startTokenGateway({
      issuers: [
        issuerConfiguration(many),
        issuerConfiguration(other, { issuer: ISSUERS.other, algorithms: ["PS256", "EdDSA"] }),
        issuerConfiguration(bare, { issuer: ISSUERS.plain, algorithms: ["ES256"], typ: null }),
      ],
    });
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([...servers, decoy].map((server) => server.close()));
  });

  async function statusOf(token: string, scheme = "Bearer "): Promise<number> {
    return (await world.ask(scheme + token)).status;
  }

  const families: readonly [string, string, KeyPair, (key: KeyPair["key"]) => Sign][] = [
    ["RS256", ISSUERS.many, rsa, signWith.RS256],
    ["ES256", ISSUERS.many, ec, signWith.ES256],
    ["PS256", ISSUERS.other, pss, signWith.PS256],
    ["EdDSA", ISSUERS.other, ed, signWith.EdDSA],
  ];
  it.each(families)("is accepted with a signature of %s by %s", async (alg, iss, pair, sign) => {
    const header = { alg, kid: pair.jwk.kid };
    const token = makeToken(rsa, { header, claims: { iss }, sign: sign(pair.key) });
    expect(await statusOf(token)).toBe(200);
  });

  const shapes: Readonly<Record<string, Parameters<typeof makeToken>[1]>> = {
    "its type in full": { header: { typ: "application/at+jwt" } },
    "its type in capitals": { header: { typ: "AT+JWT" } },
    "an audience among several": { claims: { aud: ["portal", AUDIENCE] } },
    "a client and no subject": { claims: { sub: undefined } },
    "no client": { claims: { client_id: undefined } },
    "no instant of issue": { claims: { iat: undefined } },
    "a fraction of a second in its expiry": { claims: { exp: Date.now() / 1_000 + 60.5 } },
    "claims that nobody knows": {
      claims: { "https://x.example/role": { deep: [1, { a: null }] } },
    },
    "parameters in its header that nobody knows": { header: { "x-trace": "1" } },
  };
  it.each(Object.keys(shapes))("is accepted that has %s", async (name) => {
    expect(await statusOf(makeToken(rsa, shapes[name]))).toBe(200);
  });

  it.each(["bearer ", "BEARER ", "Bearer   "])("is accepted after %j", async (scheme) => {
    expect(await statusOf(makeToken(rsa), scheme)).toBe(200);
  });

  it("is not checked with the key or the address of a key that it brings", async () => {
    const jku = `${decoy.baseUrl}/jwks`;
    const header = { jku, x5u: jku, jwk: ed.jwk, x5c: ["AAAA"] };
    expect(await statusOf(makeToken(rsa, { header }))).toBe(200);
    expect(decoy.arrivals).toEqual([]);
  });

  it("needs no type, and no name of a key, where its issuer states none and has one key", async () => {
    const of = (typ: unknown): string =>
      compact(
        goodHeader({ typ, alg: "ES256", kid: undefined }),
        goodClaims({ iss: ISSUERS.plain }),
        signWith.ES256(plain.key),
      );
    expect(await statusOf(of(undefined))).toBe(200);
    expect(await statusOf(of("JWT"))).toBe(200);
    // A token of another kind says so.
    expect(await statusOf(of("secevent+jwt"))).toBe(401);
  });

  it("may have exactly as many bytes as are allowed, and not one more", async () => {
    expect(await statusOf(tokenOfBytes(rsa, 8_192))).toBe(200);
    expect(await statusOf(tokenOfBytes(rsa, 8_193))).toBe(401);
  });

  it("a token outside Authorization is not read", async () => {
    const token = makeToken(rsa);
    const { address } = world.gateway;
    const requests = [
      fetch(`${address}/provider-a/auto/brands?access_token=${token}`),
      fetch(`${address}/provider-a/auto/brands`, { headers: { cookie: `access_token=${token}` } }),
      fetch(`${address}/provider-a/auto/brands`, {
        headers: { "proxy-authorization": `Bearer ${token}`, "x-authorization": `Bearer ${token}` },
      }),
      fetch(`${address}/provider-a/auto/brands`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `access_token=${token}`,
      }),
    ];
    const asked = "Send Authorization: Bearer <token>.";
    const posted = `${asked} This says nothing about earlier requests with the same content.`;
    const details = [asked, asked, asked, posted];
    for (const [index, response] of (await Promise.all(requests)).entries()) {
      expect(response.status).toBe(401);
      // Nothing was shown, so there is nothing wrong with it: no error code (RFC 6750, section 3.1).
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="insurance-gateway"');
      expect(await problemIn(response)).toMatchObject({
        code: "UNAUTHENTICATED",
        detail: details[index],
      });
      expect(await world.loggedReason(response)).toBeNull();
    }
  });

  it.each(["/no/such/route", "/", "/%E0%A4%A", "/provider-a/auto/brands?x=1"])(
    "is asked for before the path %s is looked at",
    async (path) => {
      expect((await world.ask(null, path)).status).toBe(401);
      expect((await world.ask("Bearer abc", path)).status).toBe(401);
    },
  );
});

/** Returns a good token of an exact length: the filling of its header and its claims is found by trying. */
function tokenOfBytes({ key }: KeyPair, bytes: number): string {
  for (const ours of ["", "h", "hh"])
    for (let length = Math.floor((bytes - 1_000) * 0.75); length < bytes; length += 1) {
      const header = goodHeader({ filler: ours });
      const claims = goodClaims({ filler: "x".repeat(length) });
      const size = compact(header, claims, () => Buffer.alloc(256)).length;
      if (size === bytes) return compact(header, claims, signWith.RS256(key));
    }
  throw new Error("There is no such token");
}
