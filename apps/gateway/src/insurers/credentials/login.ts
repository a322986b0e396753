import type { InsurerRequest, InsurerResponse, LoginAnswer } from "@insurance-gateway/adapter";
import {
  type Credentials,
  CredentialsError,
  type FetchedContent,
  type UserLogin,
} from "@insurance-gateway/core/auth";
import { type ConnectionTransport, TransportError } from "@insurance-gateway/core/transport";
import { isFreeHeader, isHeaderValue } from "../../configuration/header-names.ts";
import { type InsurerExchange, prepareExchange } from "../exchange/insurer-exchange.ts";
import type { InsurerAccess } from "../insurer-access.ts";
import { faultOfRequest } from "./oauth2.ts";

/** What a login is made with. */
export interface LoginParts {
  readonly login: UserLogin;
  readonly timeoutMs: number;
  readonly insurer: Pick<InsurerAccess, "adapter" | "answers" | "baseUrl" | "settings">;
  readonly transport: ConnectionTransport;
  /** Further credentials of the insurer, such as an API key: its login needs them, too. */
  readonly beside: Credentials;
}

/**
 * Logs in with the insurer's adapter.
 * @throws CredentialsError, which contains nothing of the answer
 */
export async function logIn(parts: LoginParts): Promise<FetchedContent> {
  const { beside, insurer, login, timeoutMs, transport } = parts;
  const deadline = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(1, deadline - performance.now());
  const made: InsurerExchange[] = [];
  try {
    await beside.ready({ timeoutMs, signal: null });
    const send = async (request: InsurerRequest): Promise<InsurerResponse> => {
      if (request.acts === true) throw new TypeError("The insurer may not act on a login");
      const prepared = prepareExchange(request, {
        url: insurer.baseUrl + request.path,
        headers: { ...request.headers, ...beside.current()?.headers, via: "1.1 insurance-gateway" },
        connection: "fresh",
        timeoutMs: leftMs(),
        signal: null,
        limits: insurer.answers,
        // No login's answer needs room that the budget of all answers counts.
        reserve: () => Promise.reject(new TransportError("body", "too_large")),
      });
      const exchange = prepared.answered(await transport.send(prepared.request));
      made.push(exchange);
      return exchange.response;
    };
    const context = { settings: insurer.settings, now: () => new Date() };
    const answer = await insurer.adapter.login?.(login, send, context);
    if (answer === undefined) throw new TypeError("The adapter does not log in");
    return contentOf(answer);
  } catch (error) {
    if (CredentialsError.isInstance(error)) throw error;
    const answered = made.at(-1)?.response.status ?? 0;
    // The adapter could not read the answer of a server that fails.
    throw answered >= 500 || answered === 429
      ? new CredentialsError("unreachable")
      : faultOfRequest(error);
  } finally {
    for (const one of made) one.discard();
  }
}

function contentOf({ expiresInSeconds, headers }: LoginAnswer): FetchedContent {
  if (headers === null) throw new CredentialsError("refused");
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const areUsable =
    entries.length > 0 &&
    entries.every(
      ([name, value]) => /^[a-z0-9-]+$/.test(name) && isFreeHeader(name) && isHeaderValue(value),
    );
  const lifeMs = expiresInSeconds === null ? null : expiresInSeconds * 1_000;
  if (!areUsable || Number.isNaN(lifeMs)) throw new CredentialsError("unusable");
  return { headers: Object.fromEntries(entries), login: null, lifeMs };
}
