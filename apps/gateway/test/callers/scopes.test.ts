import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { foundFor } from "../http/guards/answering-insurer.ts";
import { issuerConfiguration, makeToken } from "./good-token.ts";
import { makeKeyPair } from "./signing.ts";
import { startKeyServer, startTokenGateway, type TokenGateway } from "./token-gateway.ts";

const UNSCOPED = "https://unscoped.example";
const pair = makeKeyPair("rsa", { kid: "rsa-1" });

/** A lookup, and a search, at segments of their own. */
const LOOKUP = "/motor/auto/brands";
const SEARCH = "/life/applications/search?clientAfm=123456789";

/** A token's claims, the call, and the missing scope if the call is refused. */
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

describe("a token's scopes", () => {
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
    world = await startTokenGateway({
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
    text: `${JSON.stringify(claims)} ${needed === null ? "allow" : "do not allow"} ${path.split("?")[0]}`,
  }));
  it.each(named.map((row) => [row.text, row] as const))("%s", async (_, row) => {
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
  });

  it("do not count where the issuer's tokens need none", async () => {
    for (const claims of [{}, { scope: "openid" }, { scope: 7 }]) {
      const token = makeToken(pair, { claims: { iss: UNSCOPED, ...claims } });
      expect((await world.ask(`Bearer ${token}`, LOOKUP)).status).toBe(200);
    }
  });

  it("count for a remembered token, too", async () => {
    const token = makeToken(pair, { claims: { scope: "motor:lookup" } });
    for (const _ of [1, 2]) {
      expect((await world.ask(`Bearer ${token}`, LOOKUP)).status).toBe(200);
      expect((await world.ask(`Bearer ${token}`, SEARCH)).status).toBe(403);
    }
  });

  it("are looked at after the route: a path that is not there is 404 with any", async () => {
    const token = makeToken(pair, { claims: { scope: "openid" } });
    expect((await world.ask(`Bearer ${token}`, "/motor/no/such/route")).status).toBe(404);
  });
});
