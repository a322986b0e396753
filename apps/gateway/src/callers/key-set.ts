import { type Transport, TransportError } from "@insurance-gateway/core/transport";
import type { JSONWebKeySet } from "jose";
import * as errors from "jose/errors";
import type { Time } from "../time.ts";
import { type IssuerKeys, KeysUnavailableError } from "./issuer.ts";
import { readPublishedKeys } from "./published-keys.ts";
import type { RsaKeyFault } from "./rsa-keys.ts";

/** Arguments of `createKeySet`. */
export interface KeySetParts {
  /** The address from which the keys are fetched, never an address from a token. */
  readonly url: string;
  readonly transport: Transport;
  readonly time: Time;
  /** Called for every failed fetch. */
  readonly fetchFailed: (error: KeysUnavailableError) => void;
  /** Called for every published key that is too weak to be used. */
  readonly keyRefused: (fault: RsaKeyFault) => void;
}

/** An issuer's keys, which the gateway fetches when a token needs them. */
export interface KeySet extends IssuerKeys {
  /** Fetches the keys now, regardless of their age. `fetchFailed` is called if the fetch fails. */
  readonly fetchKeys: () => Promise<void>;
}

/**
 * Age in milliseconds at which the gateway fetches the keys again, so that the gateway stops trusting a withdrawn key.
 */
const KEYS_FRESH_MS = 600_000;
/** Maximum age of the keys that the gateway uses while the issuer is unavailable, in milliseconds. */
const KEYS_USABLE_MS = 3_600_000;
/**
 * Minimum time between two fetches, in milliseconds, so that many tokens with unknown keys, or an unavailable issuer,
 * do not cause many fetches.
 */
const FETCH_PAUSE_MS = 30_000;
/**
 * Minimum time between two fetches while there are no usable keys, in milliseconds. The time is short, because all
 * calls wait for keys.
 */
const FETCH_PAUSE_WITHOUT_KEYS_MS = 5_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_KEY_SET_BYTES = 256 * 1024;

/**
 * Creates the keys of an issuer that publishes a JSON Web Key Set (RFC 7517). The set is fetched for the first token,
 * when the set is too old, and when a token names a missing key.
 * jose's own remote set depends on the wall clock, forgets its keys while the issuer is unavailable, and retries a
 * failed fetch at once.
 */
export function createKeySet(parts: KeySetParts): KeySet {
  const { fetchFailed, time } = parts;
  let known: { readonly keys: IssuerKeys; readonly fetchedAt: number } | null = null;
  let noFetchUntil = 0;
  let fetching: Promise<void> | null = null;

  const usable = (maximumAgeMs: number): IssuerKeys | null =>
    known !== null && time.now() - known.fetchedAt < maximumAgeMs ? known.keys : null;

  const fetchAnew = async (): Promise<void> => {
    try {
      const keys = await fetchKeys(parts);
      known = { keys, fetchedAt: time.now() };
    } catch (error) {
      fetchFailed(toKeysUnavailableError(error));
    }
    const cooldown = usable(KEYS_USABLE_MS) === null ? FETCH_PAUSE_WITHOUT_KEYS_MS : FETCH_PAUSE_MS;
    noFetchUntil = time.now() + cooldown;
    fetching = null;
  };
  const refresh = async (): Promise<void> => {
    if (fetching === null && time.now() < noFetchUntil) return;
    fetching ??= fetchAnew();
    await fetching;
  };
  const find: IssuerKeys["findKey"] = async (header) => {
    const keys = usable(KEYS_USABLE_MS);
    if (keys === null) throw new KeysUnavailableError("none_fetched");
    return keys.findKey(header);
  };

  return {
    async findKey(header) {
      if (usable(KEYS_FRESH_MS) === null) await refresh();
      try {
        return await find(header);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        return find(header);
      }
    },
    async fetchKeys() {
      // The answer to a fetch in progress may be older than the change of the keys, so a new fetch follows.
      await fetching;
      fetching ??= fetchAnew();
      await fetching;
    },
    hasKey: (id) => known?.keys.hasKey(id) ?? false,
  };
}

function toKeysUnavailableError(error: unknown): KeysUnavailableError {
  if (error instanceof KeysUnavailableError) return error;
  return new KeysUnavailableError(TransportError.isInstance(error) ? error.reason : "failed");
}

async function fetchKeys({ keyRefused, transport, url }: KeySetParts): Promise<IssuerKeys> {
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
  const keySet = readKeySet(await body.text(MAX_KEY_SET_BYTES));
  if (keySet === null) throw new KeysUnavailableError("no_key_set");
  return readPublishedKeys(keySet, keyRefused);
}

function readKeySet(text: string): JSONWebKeySet | null {
  try {
    const read: unknown = JSON.parse(text);
    return isKeySet(read) ? read : null;
  } catch {
    // The parser's error message would quote the issuer's answer.
    return null;
  }
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  if (typeof value !== "object" || value === null || !("keys" in value)) return false;
  const isKey = (key: unknown): boolean =>
    typeof key === "object" && key !== null && !Array.isArray(key);
  return Array.isArray(value.keys) && value.keys.every(isKey);
}
