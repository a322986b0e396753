import { invalidToken, Refusal } from "@insurance-gateway/core/runtime";
import { parseJson } from "../json.ts";
import type { TokenFault } from "./token-faults.ts";

/** The unverified content of a token. Check the signature before using it. */
export interface UnverifiedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** The token of an Authorization header, or the reason why the header has no usable token. */
export type TokenOrFault = { readonly token: string } | { readonly fault: TokenFault };

/**
 * Returns the token in an Authorization header (RFC 6750, section 2.1). `Bearer` may have any letter case (RFC 9110,
 * section 11.1).
 */
export function tokenInHeader(authorization: string, maximumBytes: number): TokenOrFault {
  const [, token] = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? [];
  if (token === undefined) return { fault: "not_bearer" };
  // Every character of a token is one byte.
  return token.length > maximumBytes ? { fault: "too_long" } : { token };
}

/**
 * Reads a signed token in its compact form (RFC 7515, section 7.1). Unlike jose, this function refuses white space,
 * padding and stray bits at the end of a part, so that a token has only one written form.
 * @throws Refusal
 */
export function readCompactForm(token: string): UnverifiedToken {
  const parts = token.split(".", 4).map(decodeBase64url);
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || !header || !claims || !signature) throw invalidToken("not_compact");
  const read = { header: readJsonObject(header), claims: readJsonObject(claims) };
  if (read.header === null || read.claims === null) throw invalidToken("not_json");
  return { header: read.header, claims: read.claims };
}

/**
 * Decodes a part in canonical base64url, without padding and stray bits. Returns null for any other text and for an
 * empty part.
 */
function decodeBase64url(part: string): Uint8Array | null {
  const bytes = Buffer.from(part, "base64url");
  return part !== "" && bytes.toString("base64url") === part ? bytes : null;
}

/** An object that was read from JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum nesting of a token's header and claims. Deeper JSON would cost more time than a check of the signature. */
const MAXIMUM_DEPTH = 32;

/**
 * Reads bytes that must be one JSON object with unique names: for a repeated name, some programs would use the first
 * value and others the last value.
 * @returns null if the bytes are not a JSON object with unique names
 */
function readJsonObject(bytes: Uint8Array): JsonObject | null {
  try {
    const value = parseJson(bytes, MAXIMUM_DEPTH);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    // An object that is not an array has names as keys.
    return value as JsonObject;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
