import {
  expiringTokens,
  jsonAnswer,
  type RawAnswer,
  type RawRequest,
  type SandboxCredential,
  type SandboxRoute,
} from "./dialect.ts";
import type { Clock } from "./records.ts";

/** The token server of a simulated insurer (OAuth 2.0 client credentials, RFC 6749, section 4.4). */
export interface OAuth2Server {
  /** The accepted credential, for `credentials` of the dialect. */
  readonly credential: SandboxCredential;
  /** The token route, for `routes` of the dialect. */
  readonly route: SandboxRoute;
  /** Refuses a request without a valid token, except a token request. For `refuse` of the dialect. */
  readonly refuse: (request: RawRequest, clock: Clock) => RawAnswer | null;
}

/**
 * Creates a token server with one client.
 * @param path - the path after the insurer's base address
 * @param seconds - lifetime of a token
 */
export function oauth2Server(
  client: { readonly path: string; readonly clientId: string; readonly clientSecret: string },
  seconds: number,
): OAuth2Server {
  const { clientId, clientSecret, path } = client;
  const tokens = expiringTokens(clientId, seconds);
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const refused = jsonAnswer(401, { error: "invalid_client" });
  return {
    credential: { type: "oauth2", ...client },
    refuse: (request, clock) =>
      request.path === path || tokens.isIn(request, clock)
        ? null
        : { status: 401, headers: { "www-authenticate": "Bearer" } },
    route: {
      method: "POST",
      path,
      read: ({ headers }, clock) => ({
        answer:
          headers.authorization === basic
            ? jsonAnswer(200, {
                access_token: tokens.issue(clock),
                token_type: "Bearer",
                expires_in: seconds,
              })
            : refused,
      }),
      write: () => refused,
    },
  };
}
