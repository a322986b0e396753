/**
 * The source of the bearer token: the token itself, or a function that is called before every request, so that it can
 * renew the token.
 */
export type TokenSource = string | (() => string | Promise<string>);

/** Why there is no token to send. */
export type TokenFault =
  | "token function failed"
  | "token function did not answer in time"
  | "token is empty or has characters no token has"
  | "token must be the token alone, because the client adds `Bearer`"
  | "environment variable GATEWAY_TOKEN is not set, and no token was given";

/** A token, or why there is none. The reason never contains the token. */
export type ResolvedToken = { readonly token: string } | { readonly fault: TokenFault };

/** The characters of a bearer token (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Whether a text is the value of an `authorization` header instead of a token. */
export function isWithScheme(token: string): boolean {
  return /^\s*bearer\s/i.test(token);
}

/** The default source: the environment variable GATEWAY_TOKEN, which is read for every request. */
export function environmentToken(): string {
  return process.env.GATEWAY_TOKEN ?? "";
}

/** Gets the token of one request from a source. */
export async function resolveToken(source: TokenSource): Promise<ResolvedToken> {
  let token: string;
  try {
    token = typeof source === "function" ? await source() : source;
  } catch {
    // The function's error may contain the credentials that it used, so it is discarded.
    return { fault: "token function failed" };
  }
  if (source === environmentToken && token === "")
    return { fault: "environment variable GATEWAY_TOKEN is not set, and no token was given" };
  if (typeof token === "string" && isWithScheme(token))
    return { fault: "token must be the token alone, because the client adds `Bearer`" };
  if (typeof token !== "string" || !TOKEN.test(token))
    return { fault: "token is empty or has characters no token has" };
  return { token };
}
