import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { expect, it, onTestFinished } from "vitest";
import { oauth2, startCredentialSite } from "./credential-site.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const SECRET = "of-no-use:elsewhere +%";

/** Starts a complete OpenID provider on loopback, with one client for each of three authentication methods. */
async function startOpenIdProvider(): Promise<string> {
  let handle: ReturnType<Provider["callback"]> = async () => {};
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const client = { grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      ...(["client_secret_basic", "client_secret_post"] as const).map((method) => ({
        ...client,
        client_id: method,
        client_secret: SECRET,
        token_endpoint_auth_method: method,
      })),
      {
        ...client,
        client_id: "private_key_jwt",
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), kty: "EC", kid: "k-1" }] },
      },
    ],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  });
  handle = provider.callback();
  return `http://127.0.0.1:${port}/token`;
}

it.each(["client_secret_basic", "client_secret_post", "private_key_jwt"])(
  "a complete OpenID provider accepts the gateway's client authentication: %s",
  async (clientAuthentication) => {
    const tokenUrl = await startOpenIdProvider();
    const proof =
      clientAuthentication === "private_key_jwt"
        ? { clientSecret: undefined, privateKey: { env: "KEY" }, keyId: "k-1" }
        : {};
    const site = await startCredentialSite({
      credentials: (server) =>
        oauth2(server, {
          tokenUrl,
          clientId: clientAuthentication,
          clientAuthentication,
          ...proof,
        }),
      environment: {
        CLIENT_SECRET: SECRET,
        KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      },
    });
    onTestFinished(() => site.stop());
    site.accepts = ({ headers }) => /^Bearer [\w.-]{20,}$/.test(headers.authorization ?? "");
    expect((await site.search()).status).toBe(200);
  },
);
