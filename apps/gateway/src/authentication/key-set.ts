import { type Transport, TransportError } from "@insurance-gateway/core/transport";
import { createLocalJWKSet, errors } from "jose";
import type { Time } from "../time.ts";
import { type FindKey, KeysUnavailableError } from "./issuer.ts";

/** What the keys of an issuer are fetched with. */
export interface KeySetParts {
  /** The one address that is asked, whatever a token says. */
  readonly url: string;
  readonly transport: Transport;
  readonly time: Time;
  /** Is told of every fetch that failed. */
  readonly fetchFailed: (error: KeysUnavailableError) => void;
}

/** Keys are fetched anew when they are so old: a key that the issuer withdraws is trusted no longer. */
const FRESH_MS = 600_000;
/** While the issuer is away, its last keys are used until they are so old. */
const USABLE_MS = 3_600_000;
/** How long after a fetch there is no other, so that unknown keys and an issuer that is away cost one fetch. */
const COOLDOWN_MS = 30_000;
/** The same after a fetch that failed when there are no keys to use: nobody is served before one succeeds. */
const COOLDOWN_WITHOUT_KEYS_MS = 5_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAXIMUM_BYTES = 256 * 1024;

/**
 * Finds keys in a JSON Web Key Set (RFC 7517), which is fetched when it is first needed, when it is old, and when a token
 * names a key that is not there.
 *
 * jose's own remote set keeps to the clock on the wall, forgets its keys when the issuer is away, and after a fetch that
 * failed makes the next at once.
 */
export function createKeySet({ fetchFailed, time, transport, url }: KeySetParts): FindKey {
  let known: { readonly find: FindKey; readonly fetchedAt: number } | null = null;
  let noFetchUntil = 0;
  let fetching: Promise<void> | null = null;

  const usable = (maximumAgeMs: number): FindKey | null =>
    known !== null && time.now() - known.fetchedAt < maximumAgeMs ? known.find : null;

  const fetchAnew = async (): Promise<void> => {
    try {
      const find = await fetchKeys(url, transport);
      known = { find, fetchedAt: time.now() };
    } catch (error) {
      fetchFailed(unavailable(error));
    }
    const cooldown = usable(USABLE_MS) === null ? COOLDOWN_WITHOUT_KEYS_MS : COOLDOWN_MS;
    noFetchUntil = time.now() + cooldown;
    fetching = null;
  };
  const refresh = async (): Promise<void> => {
    if (fetching === null && time.now() < noFetchUntil) return;
    fetching ??= fetchAnew();
    await fetching;
  };
  const find: FindKey = async (header) => {
    const keys = usable(USABLE_MS);
    if (keys === null) throw new KeysUnavailableError("none_fetched");
    return keys(header);
  };

  return async (header) => {
    if (usable(FRESH_MS) === null) await refresh();
    try {
      return await find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      return find(header);
    }
  };
}

function unavailable(error: unknown): KeysUnavailableError {
  if (error instanceof KeysUnavailableError) return error;
  return new KeysUnavailableError(TransportError.isInstance(error) ? error.reason : "failed");
}

async function fetchKeys(url: string, transport: Transport): Promise<FindKey> {
  const { body, status } = await transport.send({
    method: "GET",
    url,
    headers: { accept: "application/jwk-set+json, application/json" },
    timeoutMs: FETCH_TIMEOUT_MS,
  });
  if (status !== 200) {
    body.discard();
    throw new KeysUnavailableError("not_ok");
  }
  return readKeySet(await body.text(MAXIMUM_BYTES));
}

function readKeySet(text: string): FindKey {
  try {
    const find = createLocalJWKSet(JSON.parse(text));
    return (header) => find(header);
  } catch {
    // The parser's own words quote what came.
    throw new KeysUnavailableError("no_key_set");
  }
}
