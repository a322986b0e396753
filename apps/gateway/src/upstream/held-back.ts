import type { HeldBack } from "../observation/observation.ts";
import { Refusal } from "../problems/refusal.ts";
import { type ProxyError, proxyStatus } from "./proxy-status.ts";

const texts: Readonly<Record<HeldBack, { readonly detail: string; readonly error: ProxyError }>> = {
  breaker: {
    detail: "The insurer has failed again and again and is left alone for now; nothing was sent.",
    error: "destination_unavailable",
  },
  bulkhead: {
    detail: "Too many calls of this insurer are under way; nothing was sent.",
    error: "connection_limit_reached",
  },
};

/** A call that was not sent, because of the calls before it or beside it. */
export function heldBack(by: HeldBack, retryInMs: number): Refusal {
  const { detail, error } = texts[by];
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail,
    reason: by,
    headers: {
      ...proxyStatus({ error }),
      "retry-after": String(Math.max(1, Math.ceil(retryInMs / 1_000))),
    },
  });
}
