import type { Endpoint } from "../contract/endpoint.ts";
import { endpointNameOf } from "./request.ts";

/** Key of a submission that was sent, or is about to be sent. */
export interface StoredKey {
  readonly key: string;
  /** Id of the provider: `provider-d`. */
  readonly provider: string;
  /** Method and path of the endpoint: `POST /applications`. */
  readonly endpoint: string;
  /** Path segment of the submission's call, if the call set a segment. */
  readonly segment?: string;
}

/**
 * Stores the keys of submissions, so that the calling program can find their results after a crash. Implement the store
 * with your own database: one row for each key.
 */
export interface KeyStore {
  /** Stores a key. Resolves when the key survives a crash. A key that is already stored stays unchanged. */
  add(stored: StoredKey): Promise<void>;
  /** Removes a key. Call this function after the calling program has saved the result. */
  remove(stored: StoredKey): Promise<void>;
  list(): Promise<readonly StoredKey[]>;
}

/** Reports whether a value has the methods of a key store. */
export function isKeyStore(value: unknown): value is KeyStore {
  return (
    typeof value === "object" &&
    value !== null &&
    ["add", "remove", "list"].every((method) => method in value)
  );
}

/** Creates the entry that a key store saves for a key. */
export function createStoredKey(endpoint: Endpoint, key: string, segment?: string): StoredKey {
  const stored = { key, provider: endpoint.provider, endpoint: endpointNameOf(endpoint) };
  return segment === undefined ? stored : { ...stored, segment };
}

/** Reports whether two stored keys are the same. */
export function isSameKey(one: StoredKey, other: StoredKey): boolean {
  return (["key", "provider", "endpoint", "segment"] as const).every(
    (name) => one[name] === other[name],
  );
}

/** Creates a store in memory: for tests, and for programs that need no recovery after a crash. */
export function memoryKeyStore(): KeyStore {
  let keys: readonly StoredKey[] = [];
  return {
    async add(stored) {
      if (!keys.some((known) => isSameKey(known, stored))) keys = [...keys, stored];
    },
    async remove(stored) {
      keys = keys.filter((known) => !isSameKey(known, stored));
    },
    list: async () => keys,
  };
}
