import { invalidToken, Refusal } from "@insurance-gateway/core/runtime";
import { parseJson } from "../json.ts";
import type { TokenFault } from "./token-faults.ts";

/** Unverified token content. Check the signature first. */
export interface ReadToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** The token of an Authorization header, or why there is none. */
export type ShownToken = { readonly token: string } | { readonly fault: TokenFault };

/**
 * Takes the token out of an Authorization header (RFC 6750, section 2.1). The scheme's case does not matter (RFC 9110,
 * section 11.1).
 */
export function shownToken(authorization: string, maximumBytes: number): ShownToken {
  const [, token] = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? [];
  if (token === undefined) return { fault: "not_bearer" };
  // Every character of it is one byte.
  return token.length > maximumBytes ? { fault: "too_long" } : { token };
}

/**
 * Reads a signed token in its compact form (RFC 7515, section 7.1), strictly: jose also takes white space, padding and
 * bits that nobody signed, so that one token could be written in many ways.
 * @throws Refusal
 */
export function readCompactForm(token: string): ReadToken {
  const parts = token.split(".", 4).map(decodeCanonical);
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || !header || !claims || !signature) throw invalidToken("not_compact");
  const read = { header: readJsonObject(header), claims: readJsonObject(claims) };
  if (read.header === null || read.claims === null) throw invalidToken("not_json");
  return { header: read.header, claims: read.claims };
}

/** Decodes base64url that is not empty and that encoding the bytes gives again, which excludes padding and stray bits. */
function decodeCanonical(part: string): Uint8Array | null {
  const bytes = Buffer.from(part, "base64url");
  return part !== "" && bytes.toString("base64url") === part ? bytes : null;
}

/** An object of JSON text. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** No header and no claims are nested so deep; beyond it, reading would cost more than checking a signature. */
const MAXIMUM_DEPTH = 32;

/**
 * Reads bytes that must be one JSON object, as strictly as a body: of two values of one name, one reader takes the first
 * and another the last.
 * @returns null for anything else
 */
function readJsonObject(bytes: Uint8Array): JsonObject | null {
  try {
    const value = parseJson(bytes, MAXIMUM_DEPTH);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    // A JSON object has names for keys, unless it is an array.
    return value as JsonObject;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
