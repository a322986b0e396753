import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { Refusal } from "@insurance-gateway/core/runtime";
import type { DevelopmentIssuer } from "../callers/development-issuer.ts";
import type { IncomingRequest, RequestHead } from "../http/exchange.ts";
import type { Answer } from "../http/send-answer.ts";

/** Answers the request that the button for a development token on a reference page sends. */
export type AnswerDevelopmentToken = (request: Pick<IncomingRequest, "head">) => Promise<Answer>;

const EXPIRES_IN_SECONDS = 28_800;

/** Header in which a reference page sends the secret for development tokens. */
const SECRET_HEADER = "x-start-secret";

/** Creates a new secret for development tokens at the gateway's start: 256 random bits in base64url. */
export function newStartSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Creates the function that issues development tokens. The function accepts only requests of reference pages in a
 * browser on this machine, opened at the address that the gateway printed. The secret is necessary because another
 * program, even behind a TCP forwarder, can send all headers of a page.
 * @param secret - the secret in the fragment of the printed address
 */
export function createDevelopmentToken(
  issuer: Pick<DevelopmentIssuer, "sign">,
  secret: string,
): AnswerDevelopmentToken {
  return async ({ head }) => {
    if (!isOwnPageOnThisMachine(head) || !hasSecret(head, secret))
      throw new Refusal("FORBIDDEN", {
        detail:
          "Only the reference's own pages can request a development token, in a browser on the gateway's machine, opened at the address that the gateway printed at its start. Elsewhere, use the command `token`.",
        reason: "development_token",
      });
    const token = await issuer.sign({
      subject: "developer",
      scope: "*:*",
      expiresInSeconds: EXPIRES_IN_SECONDS,
    });
    return {
      status: 200,
      headers: { "cache-control": "no-store", "content-type": "application/json; charset=utf-8" },
      content: JSON.stringify({ token, expiresInSeconds: EXPIRES_IN_SECONDS }),
    };
  };
}

/** Reports whether a request has the secret. The duration of a comparison of equally long digests reveals nothing. */
function hasSecret({ headers }: RequestHead, secret: string): boolean {
  const digest = (text: string): Buffer => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(String(headers[SECRET_HEADER] ?? "")), digest(secret));
}

/** Headers that a proxy adds. A request with such a header may come from another machine. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/**
 * Reports whether a request was sent by a page of this gateway on this machine. `Sec-Fetch-Site` (W3C Fetch Metadata,
 * section 2.2) and `Origin` exclude other sites, `Host` excludes names that DNS rebinding points to this machine, and
 * the peer address excludes other machines.
 */
function isOwnPageOnThisMachine({ headers, socket }: RequestHead): boolean {
  const { host = "", origin = "" } = headers;
  return (
    headers["sec-fetch-site"] === "same-origin" &&
    (origin === `http://${host}` || origin === `https://${host}`) &&
    FORWARDED.every((name) => headers[name] === undefined) &&
    isLoopback((socket.remoteAddress ?? "").replace(/^::ffff:/, "")) &&
    isThisMachine(host.replace(/:\d+$/, ""))
  );
}

function isThisMachine(name: string): boolean {
  return name === "localhost" || isLoopback(name.replaceAll(/^\[|\]$/g, ""));
}

function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && (address === "::1" || address.startsWith("127."));
}
