import type { Endpoint, FailureRow } from "@insurance-gateway/core/contract";
import type { InstalledProvider } from "../configuration/providers.ts";

/**
 * Returns the `failures` rows that interpret an insurer's error answers, in the order of precedence: first the
 * operator's rows, which can correct the others, then the endpoint's, the provider's and the adapter's.
 */
export function failureRowsOf(
  { adapter, provider, settings }: Pick<InstalledProvider, "adapter" | "provider" | "settings">,
  endpoint: Endpoint,
): readonly FailureRow[] {
  const added = settings.failures.filter(
    ({ endpoint: name }) => name === undefined || provider.endpoints[name] === endpoint,
  );
  return [
    ...added,
    ...(endpoint.failures ?? []),
    ...(provider.failures ?? []),
    ...adapter.failures,
  ];
}
