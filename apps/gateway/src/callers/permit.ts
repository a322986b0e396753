import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import type { Caller } from "./caller.ts";

/** The scopes that allow a call. */
export interface RequiredScope {
  /** The narrowest of the scopes that allow the call. */
  readonly name: string;
  /** All scopes that allow the call. */
  readonly accepted: readonly string[];
}

/**
 * Returns the scopes that allow a call. A scope is PROVIDER:KIND, in which * means all providers or all kinds.
 * @param segment - the provider's path segment
 */
export function requiredScope(segment: string, kind: EndpointKind): RequiredScope {
  const name = `${segment}:${kind}`;
  return { name, accepted: [name, `${segment}:*`, `*:${kind}`, "*:*"] };
}

/**
 * Checks that the caller's token has one of the scopes. Every call is allowed if the issuer's tokens need no scope.
 * @throws Refusal FORBIDDEN
 */
export function requireScope({ scopes }: Caller, { accepted, name }: RequiredScope): void {
  if (scopes === null) return;
  if (scopes.some((scope) => accepted.includes(scope))) return;
  throw new Refusal("FORBIDDEN", {
    detail: `This call needs a token with the scope ${name}.`,
    headers: {
      // RFC 6750, section 3.
      "www-authenticate": `Bearer realm="insurance-gateway", error="insufficient_scope", scope="${name}"`,
    },
  });
}
