import type { JsonObject } from "./json-object.ts";

/**
 * What a token's scopes are: `scope` (RFC 8693, section 4.2; RFC 9068, section 2.2.3), or `scp`, as several products
 * write it, as names separated by spaces or as an array. Anything else grants no scope.
 */
export function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  if (scope !== undefined) return typeof scope === "string" ? wordsOf(scope) : [];
  if (typeof scp === "string") return wordsOf(scp);
  return Array.isArray(scp) ? scp.filter((word) => typeof word === "string") : [];
}

function wordsOf(scope: string): readonly string[] {
  return scope.split(" ").filter((word) => word !== "");
}
