import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  AUDIENCE,
  goodClaims,
  goodHeader,
  issuerConfiguration,
  makeToken,
} from "../harness/good-token.ts";
import type { Insurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { compact, type KeyPair, makeKeyPair, type Sign, signWith } from "../harness/signing.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";

/** Issuers with different settings and separate key servers. */
const ISSUERS = {
  many: "https://login.example",
  other: "https://other.example",
  plain: "https://plain.example",
};

describe("valid tokens", () => {
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
    world = await startGatewayWithIssuers({
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
  it.each(families)(
    "the gateway accepts a token with a signature of %s from %s",
    async (alg, iss, pair, sign) => {
      const header = { alg, kid: pair.jwk.kid };
      const token = makeToken(rsa, { header, claims: { iss }, sign: sign(pair.key) });
      expect(await statusOf(token)).toBe(200);
    },
  );

  const shapes: Readonly<Record<string, Parameters<typeof makeToken>[1]>> = {
    "a complete media type as type": { header: { typ: "application/at+jwt" } },
    "a type in capitals": { header: { typ: "AT+JWT" } },
    "several audiences": { claims: { aud: ["portal", AUDIENCE] } },
    "a client but no subject": { claims: { sub: undefined } },
    "no client": { claims: { client_id: undefined } },
    "no issue time": { claims: { iat: undefined } },
    "a fraction of a second in its expiry": { claims: { exp: Date.now() / 1_000 + 60.5 } },
    "unknown claims": {
      claims: { "https://x.example/role": { deep: [1, { a: null }] } },
    },
    "unknown header parameters": { header: { "x-trace": "1" } },
  };
  it.each(Object.keys(shapes))("the gateway accepts a token with %s", async (name) => {
    expect(await statusOf(makeToken(rsa, shapes[name]))).toBe(200);
  });

  it.each(["bearer ", "BEARER ", "Bearer   "])(
    "the gateway accepts a token with this scheme in the `Authorization` header: %j",
    async (scheme) => {
      expect(await statusOf(makeToken(rsa), scheme)).toBe(200);
    },
  );

  it("the gateway ignores a key or a key address in a token's header", async () => {
    const jku = `${decoy.baseUrl}/jwks`;
    const header = { jku, x5u: jku, jwk: ed.jwk, x5c: ["AAAA"] };
    expect(await statusOf(makeToken(rsa, { header }))).toBe(200);
    expect(decoy.arrivals).toEqual([]);
  });

  it("a token needs no `typ` and no `kid` if the token's issuer is configured without a type and has only one key", async () => {
    const of = (typ: unknown): string =>
      compact(
        goodHeader({ typ, alg: "ES256", kid: undefined }),
        goodClaims({ iss: ISSUERS.plain }),
        signWith.ES256(plain.key),
      );
    expect(await statusOf(of(undefined))).toBe(200);
    expect(await statusOf(of("JWT"))).toBe(200);
    // The type `secevent+jwt` means another kind of token.
    expect(await statusOf(of("secevent+jwt"))).toBe(401);
  });

  it("the gateway accepts a token of at most 8,192 bytes", async () => {
    expect(await statusOf(tokenOfBytes(rsa, 8_192))).toBe(200);
    expect(await statusOf(tokenOfBytes(rsa, 8_193))).toBe(401);
  });

  it("the gateway ignores a token outside the Authorization header", async () => {
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
      // A missing token is not an invalid token, so the header has no error code (RFC 6750, section 3.1).
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="insurance-gateway"');
      expect(await problemIn(response)).toMatchObject({
        code: "UNAUTHENTICATED",
        detail: details[index],
      });
      expect(await world.loggedReason(response)).toBeNull();
    }
  });

  it.each(["/no/such/route", "/", "/%E0%A4%A", "/provider-a/auto/brands?x=1"])(
    "the gateway answers 401 to a request without a valid token regardless of the path: %s",
    async (path) => {
      expect((await world.ask(null, path)).status).toBe(401);
      expect((await world.ask("Bearer abc", path)).status).toBe(401);
    },
  );
});

/** Returns a valid token of an exact length. Tries several fillings of the header and the claims. */
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
