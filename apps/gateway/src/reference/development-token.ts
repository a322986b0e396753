import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { Refusal } from "@insurance-gateway/core/runtime";
import type { DevelopmentIssuer } from "../callers/development-issuer.ts";
import type { IncomingRequest, RequestHead } from "../http/exchange.ts";
import type { Answer } from "../http/send-answer.ts";

/** Answers the button of the reference's pages. */
export type AnswerDevelopmentToken = (request: Pick<IncomingRequest, "head">) => Promise<Answer>;

const EXPIRES_IN_SECONDS = 28_800;

/** The header in which a page sends the secret of this start. */
const SECRET_HEADER = "x-start-secret";

/** Makes the secret of one start of the gateway: 256 random bits in base64url. */
export function newStartSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Gives tokens of the development issuer to pages that a browser on this very machine shows, opened at the address that
 * the gateway printed. Everything else of a request can be written by its sender, also through a plain forwarder.
 * @param secret - what the printed address has in its fragment
 */
export function createDevelopmentToken(
  issuer: Pick<DevelopmentIssuer, "sign">,
  secret: string,
): AnswerDevelopmentToken {
  return async ({ head }) => {
    if (!isOwnPageOnThisMachine(head) || !hasSecret(head, secret))
      throw new Refusal("FORBIDDEN", {
        detail:
          "Development tokens are given to the reference's own pages, opened on the gateway's machine at the address that it printed when it started; elsewhere use the command `token`.",
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

/** Compares digests, which have one length, so that the time says nothing of the secret. */
function hasSecret({ headers }: RequestHead, secret: string): boolean {
  const digest = (text: string): Buffer => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(String(headers[SECRET_HEADER] ?? "")), digest(secret));
}

/** Headers that a proxy adds: the client behind it may be on another machine. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/**
 * Other sites in the same browser are kept out by Fetch Metadata (W3C Fetch Metadata, section 2.2) and by `Origin`, names that
 * lead here by rebinding by the host as it was sent, and other machines by the connection itself.
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
