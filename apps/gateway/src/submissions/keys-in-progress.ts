import type { Caller } from "../callers/caller.ts";
import type { ProviderRoute } from "../routing/route.ts";

/** An idempotency key and its scope: caller, provider and endpoint. */
interface ScopedKey {
  readonly caller: Pick<Caller, "issuer" | "subject">;
  readonly route: Pick<ProviderRoute, "name"> & {
    readonly endpoint: Pick<ProviderRoute["endpoint"], "provider">;
  };
  readonly key: string;
}

/** The keys of the submissions in progress. */
export type KeysInProgress = ReturnType<typeof createKeyCounter>;

/** Counts requests by key. A key is in progress until the last of the key's simultaneous requests has ended. */
export function createKeyCounter() {
  const counts = new Map<string, number>();
  const textOf = ({ caller, key, route }: ScopedKey): string =>
    JSON.stringify([caller.issuer, caller.subject, route.endpoint.provider, route.name, key]);
  return {
    /** Adds the key of a submission. Returns a function that removes the key. */
    begin(key: ScopedKey): () => void {
      const text = textOf(key);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      return () => {
        const left = (counts.get(text) ?? 0) - 1;
        if (left > 0) counts.set(text, left);
        else counts.delete(text);
      };
    },
    has: (key: ScopedKey): boolean => counts.has(textOf(key)),
  };
}
