import { unobserved } from "../../src/events.ts";
import type { Call } from "../../src/insurers/call.ts";
import { type CacheParts, cacheLookups } from "../../src/insurers/lookups/cache.ts";

/** Puts the cache of lookup answers `responses` in front of the function `next`. By default, no answer is fresh. */
export function cachedLookups(
  next: Call,
  parts: Pick<CacheParts, "responses"> & Partial<CacheParts>,
): Call {
  return cacheLookups({
    observation: unobserved,
    observed: () => ({ segment: "x", endpoint: "x", kind: "lookup" }),
    freshMs: () => 0,
    isRefused: () => false,
    ...parts,
  })(next);
}
