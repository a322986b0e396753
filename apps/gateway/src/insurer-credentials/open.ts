import {
  type Credentials,
  CredentialsError,
  type FetchedContent,
  type FetchResult,
  fetchedCredentials,
  fixedCredentials,
  jointCredentials,
} from "@insurance-gateway/core/auth";
import { type ConnectionTransport, createTransport } from "@insurance-gateway/core/transport";
import type { InsurerConnection } from "../upstream/attempt.ts";
import type { InsurerCredential } from "./configured.ts";
import { logIn } from "./login.ts";
import { fetchToken } from "./oauth2.ts";

/** What the credentials of one insurer are opened with. */
export interface CredentialsParts {
  readonly insurer: InsurerConnection;
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  /** Is called after each fetch of a token. */
  readonly fetched: (result: FetchResult) => void;
}

/** The credentials of one insurer, with the connections that its tokens are fetched on. */
export interface OpenedCredentials extends Credentials {
  /** How many connections are in use. */
  underWay(): number;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** Opens them. Tokens are fetched on connections of their own, so that calls that wait for one hold none of the insurer's. */
export function openCredentials({ fetched, insurer, now }: CredentialsParts): OpenedCredentials {
  const transports: ConnectionTransport[] = [];
  const connect = (url: string, tls: InsurerConnection["tls"]): ConnectionTransport => {
    const transport = createTransport({
      connectTimeoutMs: insurer.timeouts.connectMs,
      connections: 2,
      origins: [new URL(url).origin],
      tls,
    });
    transports.push(transport);
    return transport;
  };
  const open = (credential: InsurerCredential, beside: Credentials): Credentials =>
    credential.type === "fixed"
      ? fixedCredentials({ read: credential.read, now })
      : fetchedCredentials({
          fetch: fetchOf(credential, beside, insurer, connect),
          now,
          ended: fetched,
        });

  const opened = insurer.credentials
    .filter(({ type }) => type !== "login")
    .map((credential) => open(credential, jointCredentials([])));
  const logins = insurer.credentials
    .filter(({ type }) => type === "login")
    .map((credential) => open(credential, jointCredentials(opened)));
  return {
    ...jointCredentials([...opened, ...logins]),
    underWay: () => transports.reduce((sum, transport) => sum + transport.underWay(), 0),
    async close() {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}

function fetchOf(
  credential: Exclude<InsurerCredential, { readonly type: "fixed" }>,
  beside: Credentials,
  insurer: InsurerConnection,
  connect: (url: string, tls: InsurerConnection["tls"]) => ConnectionTransport,
): () => Promise<FetchedContent> {
  if (credential.type === "oauth2") {
    const transport = connect(credential.tokenUrl, credential.tls);
    return () => withNewestSecret(credential.readSecret, () => fetchToken(credential, transport));
  }
  const transport = connect(insurer.baseUrl, insurer.tls);
  const { read, timeoutMs } = credential;
  return () =>
    withNewestSecret(
      () => JSON.stringify(read()),
      () => logIn({ read, timeoutMs, insurer, transport, beside }),
    );
}

/** Fetches once more when the operator replaced the secret while the old one was being refused. */
async function withNewestSecret(
  readSecret: () => string,
  fetch: () => Promise<FetchedContent>,
): Promise<FetchedContent> {
  const secret = readSecret();
  try {
    return await fetch();
  } catch (error) {
    const isRefused = CredentialsError.isInstance(error) && error.fault === "refused";
    if (!isRefused || readSecret() === secret) throw error;
    return fetch();
  }
}
