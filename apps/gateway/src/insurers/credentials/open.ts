import { hash } from "node:crypto";
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
import type { InsurerCredential, OAuth2Client } from "../../configuration/insurer-credentials.ts";
import type { InsurerAccess } from "../insurer-access.ts";
import { logIn } from "./login.ts";
import { fetchToken } from "./oauth2.ts";

/** What the credentials of one insurer are opened with. */
export interface CredentialsParts {
  readonly insurer: InsurerAccess;
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  /** Is called after each fetch of a token. */
  readonly fetched: (result: FetchResult) => void;
  /** Whether the operator has replaced these credentials by others. */
  readonly isReplaced: () => boolean;
}

/** The credentials of one insurer, with the connections that its tokens are fetched on. */
export interface OpenedCredentials extends Credentials {
  /** Takes over new secrets of the same accounts. The next token is fetched with them; the last one is used until then. */
  renew(credentials: readonly InsurerCredential[]): void;
  /** How many connections are in use. */
  underWay(): number;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** What makes an insurer's credentials others than those before, beside the secrets that tokens are fetched with. */
export function identityOf(insurer: InsurerAccess): string {
  const { answers, baseUrl, credentials, settings, timeouts, tls } = insurer;
  const accounts = credentials.map((credential) => {
    if (credential.type === "fixed") return credential;
    if (credential.type === "login")
      return { ...credential, login: { username: credential.login.username } };
    return { ...credential, authentication: credential.authentication.type };
  });
  const logsIn = credentials.some(({ type }) => type === "login");
  const loggedInAt = logsIn ? { answers, baseUrl, settings, tls } : null;
  const identity = { accounts, loggedInAt, connectMs: timeouts.connectMs };
  // It has secrets in it.
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/** Opens them. Tokens are fetched on separate connections, so that waiting calls occupy none of the insurer's. */
export function openCredentials({
  fetched,
  insurer,
  isReplaced,
  now,
}: CredentialsParts): OpenedCredentials {
  let newest = insurer.credentials;
  const transports: ConnectionTransport[] = [];
  const connect = (url: string, tls: InsurerAccess["tls"]): ConnectionTransport => {
    const transport = createTransport({
      connectTimeoutMs: insurer.timeouts.connectMs,
      connections: 2,
      origins: [new URL(url).origin],
      tls,
    });
    transports.push(transport);
    return transport;
  };
  const fetching = (fetch: () => Promise<FetchedContent>): Credentials =>
    fetchedCredentials({
      fetch: () => withNewestSecret(() => newest, fetch),
      now,
      ended: fetched,
    });
  const withToken = (first: OAuth2Client, index: number): Credentials => {
    const transport = connect(first.tokenUrl, first.tls);
    return fetching(() => {
      const client = newest[index];
      return fetchToken(client?.type === "oauth2" ? client : first, transport);
    });
  };
  const loggedIn = (first: LoginCredential, index: number, beside: Credentials): Credentials => {
    const transport = connect(insurer.baseUrl, insurer.tls);
    return fetching(() => {
      const credential = newest[index];
      const { login, timeoutMs } = credential?.type === "login" ? credential : first;
      return logIn({ login, timeoutMs, insurer, transport, beside });
    });
  };

  const opened = insurer.credentials.flatMap((credential, index) => {
    if (credential.type === "login") return [];
    if (credential.type === "oauth2") return [withToken(credential, index)];
    return [fixedCredentials({ content: credential.content, isReplaced })];
  });
  const logins = insurer.credentials.flatMap((credential, index) =>
    credential.type === "login" ? [loggedIn(credential, index, jointCredentials(opened))] : [],
  );
  return {
    ...jointCredentials([...opened, ...logins]),
    renew(credentials) {
      newest = credentials;
    },
    underWay: () => transports.reduce((sum, transport) => sum + transport.underWay(), 0),
    async close() {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}

type LoginCredential = Extract<InsurerCredential, { readonly type: "login" }>;

/** Fetches once more when the operator replaced the secret while the old one was being refused. */
async function withNewestSecret(
  newest: () => readonly InsurerCredential[],
  fetch: () => Promise<FetchedContent>,
): Promise<FetchedContent> {
  const before = newest();
  try {
    return await fetch();
  } catch (error) {
    const isRefused = CredentialsError.isInstance(error) && error.fault === "refused";
    if (!isRefused || newest() === before) throw error;
    return fetch();
  }
}
