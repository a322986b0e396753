import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { makeKeyPair } from "../harness/signing.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";
import { foundFor } from "../http/guards/answering-insurer.ts";

const UNSCOPED = "https://unscoped.example";
const pair = makeKeyPair("rsa", { kid: "rsa-1" });

/** A lookup; the provider's segment is `motor`. */
const LOOKUP = "/motor/auto/brands";
/** A search; the provider's segment is `life`. */
const SEARCH = "/life/applications/search?clientAfm=123456789";

/** The claims of a token, the path of the call, and the missing scope if the gateway refuses the call. */
const cases: readonly [object, string, string | null][] = [
  [{ scope: "motor:lookup" }, LOOKUP, null],
  [{ scope: "motor:*" }, LOOKUP, null],
  [{ scope: "*:lookup" }, LOOKUP, null],
  [{ scope: "*:*" }, LOOKUP, null],
  [{ scope: "openid motor:lookup profile" }, LOOKUP, null],
  [{ scope: "life:search" }, SEARCH, null],
  [{ scope: "life:*" }, SEARCH, null],
  [{ scp: ["motor:lookup", "life:search"] }, LOOKUP, null],
  [{ scp: "motor:lookup life:search" }, LOOKUP, null],
  [{}, LOOKUP, "motor:lookup"],
  [{ scope: "" }, LOOKUP, "motor:lookup"],
  [{ scope: "openid" }, LOOKUP, "motor:lookup"],
  [{ scope: "*" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor:" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor:search" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor:submission motor:read" }, LOOKUP, "motor:lookup"],
  [{ scope: "life:*" }, LOOKUP, "motor:lookup"],
  [{ scope: "life:lookup" }, LOOKUP, "motor:lookup"],
  [{ scope: "provider-a:lookup" }, LOOKUP, "motor:lookup"],
  [{ scope: "MOTOR:LOOKUP" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor:lookup,life:search" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor:lookup-all" }, LOOKUP, "motor:lookup"],
  [{ scope: "xmotor:lookup" }, LOOKUP, "motor:lookup"],
  [{ scope: "mot*:lookup" }, LOOKUP, "motor:lookup"],
  [{ scope: "motor:lookup" }, SEARCH, "life:search"],
  [{ scope: "*:lookup" }, SEARCH, "life:search"],
  [{ scope: ["motor:lookup"] }, LOOKUP, "motor:lookup"],
  [{ scope: { "motor:lookup": true } }, LOOKUP, "motor:lookup"],
  [{ scope: null, scp: ["motor:lookup"] }, LOOKUP, "motor:lookup"],
  [{ scope: "openid", scp: ["motor:lookup"] }, LOOKUP, "motor:lookup"],
  [{ scp: [["motor:lookup"]] }, LOOKUP, "motor:lookup"],
  [{ scp: ["motor:lookup life:search"] }, LOOKUP, "motor:lookup"],
  [{ scp: { 0: "motor:lookup" } }, LOOKUP, "motor:lookup"],
  [{ scopes: "motor:lookup", roles: ["motor:lookup"] }, LOOKUP, "motor:lookup"],
];

describe("the scopes of tokens", () => {
  let world: TokenGateway;
  let keyServer: Insurer;
  let insurer: Insurer;
  beforeAll(async () => {
    keyServer = await startKeyServer([pair.jwk]);
    insurer = await startInsurer((response, { url }) => {
      response.setHeader("content-type", "application/json");
      const answer = url.includes("search") ? foundFor("123456789") : { items: [] };
      response.end(JSON.stringify(answer));
    });
    const jwksUri = `${keyServer.baseUrl}/jwks`;
    world = await startGatewayWithIssuers({
      issuers: [
        issuerConfiguration(jwksUri, { scopesRequired: true }),
        issuerConfiguration(jwksUri, { issuer: UNSCOPED }),
      ],
      providers: [
        { ...insurerConfiguration("a", insurer.baseUrl), segment: "motor" },
        { ...insurerConfiguration("d", insurer.baseUrl), segment: "life" },
      ],
    });
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([keyServer, insurer].map((server) => server.close()));
  });

  const named = cases.map(([claims, path, needed]) => ({
    claims,
    path,
    needed,
    text: `${path.split("?")[0]} with the claims ${JSON.stringify(claims)} is ${needed === null ? "accepted" : "refused"}`,
  }));
  it.each(named.map((row) => [row.text, row] as const))(
    "the gateway accepts a call only if the token's scopes allow the call: %s",
    async (_, row) => {
      insurer.arrivals.length = 0;
      const token = makeToken(pair, { claims: row.claims });
      const response = await world.ask(`Bearer ${token}`, row.path);
      if (row.needed === null) {
        expect(response.status).toBe(200);
        expect(insurer.arrivals).toHaveLength(1);
        return;
      }
      expect(response.status).toBe(403);
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer realm="insurance-gateway", error="insufficient_scope", scope="${row.needed}"`,
      );
      expect(await problemIn(response)).toMatchObject({
        code: "FORBIDDEN",
        outcome: "not_sent",
        retry: "never",
      });
      expect(insurer.arrivals).toEqual([]);
    },
  );

  it("the gateway ignores scopes if the issuer's setting `scopesRequired` is false", async () => {
    for (const claims of [{}, { scope: "openid" }, { scope: 7 }]) {
      const token = makeToken(pair, { claims: { iss: UNSCOPED, ...claims } });
      expect((await world.ask(`Bearer ${token}`, LOOKUP)).status).toBe(200);
    }
  });

  it("the gateway checks the scopes of a cached token again in each call", async () => {
    const token = makeToken(pair, { claims: { scope: "motor:lookup" } });
    for (const _ of [1, 2]) {
      expect((await world.ask(`Bearer ${token}`, LOOKUP)).status).toBe(200);
      expect((await world.ask(`Bearer ${token}`, SEARCH)).status).toBe(403);
    }
  });

  it("the gateway answers 404 for an unknown path regardless of the token's scopes", async () => {
    const token = makeToken(pair, { claims: { scope: "openid" } });
    expect((await world.ask(`Bearer ${token}`, "/motor/no/such/route")).status).toBe(404);
  });
});
