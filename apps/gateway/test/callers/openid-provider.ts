import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Adapter, type Configuration, Provider } from "oidc-provider";
import * as z from "zod";
import { AUDIENCE } from "../harness/good-token.ts";
import { compact, type KeyPair, makeKeyPair, signWith } from "../harness/signing.ts";

/** A real OpenID provider on localhost, with one client whose id is the gateway's audience. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** Returns the address of the provider's keys from the provider's metadata. */
  jwksUri(): Promise<string>;
  /** Requests an access token with the client's credentials (RFC 6749, section 4.4) and the given parameters. */
  accessToken(parameters: Readonly<Record<string, string>>): Promise<string>;
  /** Requests an access token that is bound to a key by a DPoP proof (RFC 9449). */
  boundAccessToken(parameters: Readonly<Record<string, string>>): Promise<string>;
  /** Returns an ID token for the client. */
  idToken(): Promise<string>;
  /** Starts to sign with another key, and keeps publishing the earlier keys. */
  rotate(): void;
  close(): Promise<void>;
}

/** The name of the gateway as a resource of the OpenID provider (RFC 8707). */
export const RESOURCE = "urn:example:gateway";
/** The name of another resource of the OpenID provider. */
export const OTHER_RESOURCE = "urn:example:other";

const tokenAnswer = z.object({ access_token: z.string() });
const metadata = z.object({ jwks_uri: z.url() });
const SCOPE = "provider-a:lookup provider-d:search";
const SECRET = "of-no-use-elsewhere";

/** Starts the OpenID provider, which signs with one key until a test calls `rotate`. */
export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const keys: KeyPair[] = [];
  const serve = (): Provider => {
    keys.unshift(makeKeyPair("ec", { kid: randomUUID(), alg: "ES256", use: "sig" }));
    const provider = new Provider(issuer, configurationOf(keys));
    handle = provider.callback();
    return provider;
  };
  let provider = serve();

  async function ask(parameters: object, headers: object): Promise<string> {
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${AUDIENCE}:${SECRET}`)}`, ...headers },
      body: new URLSearchParams({ grant_type: "client_credentials", ...parameters }),
    });
    return tokenAnswer.parse(await response.json()).access_token;
  }
  return {
    issuer,
    async jwksUri() {
      const response = await fetch(`${issuer}/.well-known/openid-configuration`);
      return metadata.parse(await response.json()).jwks_uri;
    },
    accessToken: (parameters) => ask(parameters, {}),
    boundAccessToken: (parameters) => ask(parameters, { dpop: proofFor(`${issuer}/token`) }),
    async idToken() {
      const client = await provider.Client.find(AUDIENCE);
      if (client === undefined) throw new Error("The provider has no client");
      return new provider.IdToken({ sub: "person-1" }, { client }).issue({ use: "idtoken" });
    },
    rotate() {
      provider = serve();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function configurationOf(keys: readonly KeyPair[]): Configuration {
  const secrets = keys.map(({ jwk, key }) => ({ ...key.export({ format: "jwk" }), ...jwk }));
  return {
    jwks: { keys: secrets.map((jwk) => ({ kty: "EC", ...jwk })) },
    clients: [
      {
        client_id: AUDIENCE,
        client_secret: SECRET,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        scope: SCOPE,
        id_token_signed_response_alg: "ES256",
      },
    ],
    scopes: SCOPE.split(" "),
    adapter: () => forgetful,
    ttl: { ClientCredentials: 300, IdToken: 300 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        // Without a resource, the provider issues opaque access tokens.
        defaultResource: () => [],
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPE,
          audience: resource === RESOURCE ? AUDIENCE : resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}

/** A storage that keeps no data: the tokens contain all data that these tests need. */
const forgetful: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Returns a DPoP proof of a new key for a request (RFC 9449, section 4.2). */
function proofFor(url: string): string {
  const { jwk, key } = makeKeyPair("ec", {});
  const iat = Math.floor(Date.now() / 1_000);
  return compact(
    { typ: "dpop+jwt", alg: "ES256", jwk },
    { htm: "POST", htu: url, iat, jti: randomUUID() },
    signWith.ES256(key),
  );
}
