import type { EndpointKind } from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { Caller } from "./caller.ts";

/** The scopes that a call needs. */
export interface NeededScope {
  /** The one that allows nothing else. */
  readonly needed: string;
  /** All that allow the call. */
  readonly allowing: readonly string[];
}

/**
 * Returns the scopes that allow a call: a scope is PROVIDER:KIND, and * stands for all of either.
 * @param segment - the provider's path segment
 */
export function neededScope(segment: string, kind: EndpointKind): NeededScope {
  const needed = `${segment}:${kind}`;
  return { needed, allowing: [needed, `${segment}:*`, `*:${kind}`, "*:*"] };
}

/** Refuses a call that the caller's token does not allow. Where the issuer's tokens need no scope, everything is allowed. */
export function permit({ scopes }: Caller, { allowing, needed }: NeededScope): void {
  if (scopes === null) return;
  if (scopes.some((scope) => allowing.includes(scope))) return;
  throw new Refusal("FORBIDDEN", {
    detail: `This call needs a token with the scope ${needed}.`,
    headers: {
      // RFC 6750, section 3.
      "www-authenticate": `Bearer realm="insurance-gateway", error="insufficient_scope", scope="${needed}"`,
    },
  });
}
