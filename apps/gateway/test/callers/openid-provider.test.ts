import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE } from "./good-token.ts";
import {
  type OpenIdProvider,
  OTHER_RESOURCE,
  RESOURCE,
  startOpenIdProvider,
} from "./openid-provider.ts";
import { startTokenGateway, type TokenGateway } from "./token-gateway.ts";

describe("a real OpenID provider", () => {
  let provider: OpenIdProvider;
  let world: TokenGateway;
  beforeAll(async () => {
    provider = await startOpenIdProvider();
    world = await startTokenGateway({
      issuers: [
        {
          issuer: provider.issuer,
          audience: AUDIENCE,
          jwksUri: await provider.jwksUri(),
          algorithms: ["ES256"],
          scopesRequired: true,
        },
      ],
    });
  });
  afterAll(async () => {
    await world.stop();
    await provider.close();
  });

  const lookup = { scope: "provider-a:lookup", resource: RESOURCE };

  /** The status that a token is answered with, and why in the operator's log. */
  async function show(token: string): Promise<string> {
    const response = await world.ask(`Bearer ${token}`);
    return `${response.status} ${await world.loggedReason(response)}`;
  }

  it("gives tokens that the gateway accepts for the scope they have", async () => {
    expect(await show(await provider.accessToken(lookup))).toBe("200 null");
    expect(world.insurer.arrivals).toHaveLength(1);
  });

  it("gives tokens that the gateway refuses for any other scope", async () => {
    const other = { ...lookup, scope: "provider-d:search" };
    const response = await world.ask(`Bearer ${await provider.accessToken(other)}`);
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toContain('scope="provider-a:lookup"');
  });

  it("gives tokens that the gateway refuses: opaque, for somebody else, bound to a key, and ID tokens", async () => {
    const { resource: _, ...opaque } = lookup;
    expect(await show(await provider.accessToken(opaque))).toBe("401 not_compact");
    const elsewhere = { ...lookup, resource: OTHER_RESOURCE };
    expect(await show(await provider.accessToken(elsewhere))).toBe("401 wrong_audience");
    expect(await show(await provider.boundAccessToken(lookup))).toBe("401 bound");
    // Its aud is the gateway's, because the client is called so: only its type tells what it is.
    expect(await show(await provider.idToken())).toBe("401 wrong_type");
  });

  it("may go on with another key: the gateway follows", async () => {
    const before = await provider.accessToken(lookup);
    provider.rotate();
    const after = await provider.accessToken(lookup);
    world.time.forward(30_000);
    expect(await show(after)).toBe("200 null");
    expect(await show(before)).toBe("200 null");
  });
});
