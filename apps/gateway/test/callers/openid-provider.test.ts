import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE } from "../harness/good-token.ts";
import { startGatewayWithIssuers, type TokenGateway } from "../harness/token-gateway.ts";
import {
  type OpenIdProvider,
  OTHER_RESOURCE,
  RESOURCE,
  startOpenIdProvider,
} from "./openid-provider.ts";

describe("tokens of a real OpenID provider", () => {
  let provider: OpenIdProvider;
  let world: TokenGateway;
  beforeAll(async () => {
    provider = await startOpenIdProvider();
    world = await startGatewayWithIssuers({
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

  /** Returns the status of a call with the token, and the logged reason of a refusal. */
  async function show(token: string): Promise<string> {
    const response = await world.ask(`Bearer ${token}`);
    return `${response.status} ${await world.loggedReason(response)}`;
  }

  it("the gateway accepts an OpenID provider's access token with the required scope", async () => {
    expect(await show(await provider.accessToken(lookup))).toBe("200 null");
    expect(world.insurer.arrivals).toHaveLength(1);
  });

  it("the gateway refuses an OpenID provider's access token without the required scope", async () => {
    const other = { ...lookup, scope: "provider-d:search" };
    const response = await world.ask(`Bearer ${await provider.accessToken(other)}`);
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toContain('scope="provider-a:lookup"');
  });

  it("the gateway refuses opaque tokens, tokens for another audience, key-bound tokens and ID tokens", async () => {
    const { resource: _, ...opaque } = lookup;
    expect(await show(await provider.accessToken(opaque))).toBe("401 not_compact");
    const elsewhere = { ...lookup, resource: OTHER_RESOURCE };
    expect(await show(await provider.accessToken(elsewhere))).toBe("401 wrong_audience");
    expect(await show(await provider.boundAccessToken(lookup))).toBe("401 bound");
    // The `aud` of the ID token equals the gateway's audience, so only the type reveals the kind of token.
    expect(await show(await provider.idToken())).toBe("401 wrong_type");
  });

  it("the gateway accepts tokens from before and after an OpenID provider's change of the signing key", async () => {
    const before = await provider.accessToken(lookup);
    provider.rotate();
    const after = await provider.accessToken(lookup);
    world.time.forward(30_000);
    expect(await show(after)).toBe("200 null");
    expect(await show(before)).toBe("200 null");
  });
});
