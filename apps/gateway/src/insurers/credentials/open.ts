import { hash } from "node:crypto";
import type { InsurerRequest, InsurerResponse, LoginAnswer } from "@insurance-gateway/adapter";
import {
  type Credentials,
  CredentialsError,
  type FetchedContent,
  type FetchResult,
  faultOfRequest,
  fetchedCredentials,
  fixedCredentials,
  jointCredentials,
  type UserLogin,
} from "@insurance-gateway/core/auth";
import {
  type ConnectionTransport,
  createTransport,
  TransportError,
} from "@insurance-gateway/core/transport";
import { isAllowedHeader, isHeaderValue } from "../../configuration/header-names.ts";
import type { InsurerCredential, OAuth2Client } from "../../configuration/insurer-credentials.ts";
import { type InsurerExchange, prepareExchange } from "../exchange/insurer-exchange.ts";
import type { InsurerAccess } from "../insurer-access.ts";
import { fetchToken } from "./oauth2.ts";

/** Arguments of `openAccountCredentials`. */
interface CredentialsParts {
  readonly insurer: InsurerAccess;
  /** Returns milliseconds since an arbitrary instant; no correction of the clock changes them. */
  readonly now: () => number;
  /** Called after each fetch of a token. */
  readonly fetched: (result: FetchResult) => void;
  /** Reports whether the operator has replaced these credentials. */
  readonly isReplaced: () => boolean;
}

/** The credentials of one account, with the connections to its token servers. */
export interface OpenedCredentials extends Credentials {
  /** Replaces the secrets of the same credentials for the next fetch; the current token stays in use until then. */
  renew(credentials: readonly InsurerCredential[]): void;
  /** Returns the number of connections to token servers that are in use. */
  underWay(): number;
  /** Waits for running token requests, then closes the connections. */
  close(): Promise<void>;
}

/** Returns a digest of an account's credentials, without the secrets with which tokens are fetched. */
export function credentialsDigestOf(insurer: InsurerAccess): string {
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
  // The hashed text contains secrets, so only its digest is used.
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/**
 * Opens credentials. Tokens are fetched on separate connections: calls that wait for a token occupy none of the
 * insurer's connections.
 */
export function openAccountCredentials({
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
  const loggedIn = (
    first: LoginCredential,
    index: number,
    otherCredentials: Credentials,
  ): Credentials => {
    const transport = connect(insurer.baseUrl, insurer.tls);
    return fetching(() => {
      const credential = newest[index];
      const { login, timeoutMs } = credential?.type === "login" ? credential : first;
      return logIn({ login, timeoutMs, insurer, transport, otherCredentials });
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

/** Fetches a token. Repeats a refused fetch if the operator has replaced the secret during the fetch. */
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

/** Arguments of `logIn`. */
interface LoginParts {
  readonly login: UserLogin;
  readonly timeoutMs: number;
  readonly insurer: Pick<InsurerAccess, "adapter" | "answers" | "baseUrl" | "settings">;
  readonly transport: ConnectionTransport;
  /** Further credentials that the login needs, such as an API key. */
  readonly otherCredentials: Credentials;
}

/**
 * Logs in with the insurer's adapter.
 * @throws CredentialsError, which contains no part of the answer
 */
export async function logIn(parts: LoginParts): Promise<FetchedContent> {
  const { otherCredentials, insurer, login, timeoutMs, transport } = parts;
  const deadline = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(1, deadline - performance.now());
  const made: InsurerExchange[] = [];
  try {
    await otherCredentials.ready({ timeoutMs, signal: null });
    const send = async (request: InsurerRequest): Promise<InsurerResponse> => {
      if (request.acts === true)
        throw new TypeError("A request of a login must not be marked as acting");
      const prepared = prepareExchange(request, {
        url: insurer.baseUrl + request.path,
        headers: {
          ...request.headers,
          ...otherCredentials.current()?.headers,
          via: "1.1 insurance-gateway",
        },
        connection: "fresh",
        timeoutMs: leftMs(),
        signal: null,
        limits: insurer.answers,
        // A login must not wait for the memory of the answer budget, which waiting calls may hold.
        reserve: () => Promise.reject(new TransportError("body", "too_large")),
      });
      const exchange = prepared.answered(await transport.send(prepared.request));
      made.push(exchange);
      return exchange.response;
    };
    const context = { settings: insurer.settings, now: () => new Date() };
    const answer = await insurer.adapter.login?.(login, send, context);
    if (answer === undefined) throw new TypeError("The adapter must have a login");
    return loginContentOf(answer);
  } catch (error) {
    if (CredentialsError.isInstance(error)) throw error;
    const answered = made.at(-1)?.response.status ?? 0;
    // A failing server may have sent an answer that the adapter could not read.
    throw answered >= 500 || answered === 429
      ? new CredentialsError("unreachable")
      : faultOfRequest(error);
  } finally {
    for (const one of made) one.discard();
  }
}

function loginContentOf({ expiresInSeconds, headers }: LoginAnswer): FetchedContent {
  if (headers === null) throw new CredentialsError("refused");
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const areUsable =
    entries.length > 0 &&
    entries.every(
      ([name, value]) => /^[a-z0-9-]+$/.test(name) && isAllowedHeader(name) && isHeaderValue(value),
    );
  const lifeMs = expiresInSeconds === null ? null : expiresInSeconds * 1_000;
  if (!areUsable || Number.isNaN(lifeMs)) throw new CredentialsError("unusable");
  return { headers: Object.fromEntries(entries), login: null, lifeMs };
}
