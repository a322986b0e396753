import type { EndpointKind } from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { Caller } from "./caller.ts";

/** What a call needs to be allowed. */
export interface NeededScope {
  /** The provider's path segment. */
  readonly segment: string;
  readonly kind: EndpointKind;
}

/**
 * Refuses a call that the caller's token does not allow: a scope is PROVIDER:KIND, and * stands for all of either.
 * Where the issuer's tokens need no scope, everything is allowed.
 */
export function permit({ scopes }: Caller, { segment, kind }: NeededScope): void {
  if (scopes === null || scopes.includes("*:*")) return;
  const needed = `${segment}:${kind}`;
  const allowing = [needed, `${segment}:*`, `*:${kind}`];
  if (scopes.some((scope) => allowing.includes(scope))) return;
  throw new Refusal("FORBIDDEN", {
    detail: `This call needs a token with the scope ${needed}.`,
    headers: {
      // RFC 6750, section 3.
      "www-authenticate": `Bearer realm="insurance-gateway", error="insufficient_scope", scope="${needed}"`,
    },
  });
}
