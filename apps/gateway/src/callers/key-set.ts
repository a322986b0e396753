import { type Transport, TransportError } from "@insurance-gateway/core/transport";
import type { JSONWebKeySet } from "jose";
import * as errors from "jose/errors";
import type { Time } from "../time.ts";
import { type IssuerKeys, KeysUnavailableError } from "./issuer.ts";
import { readPublishedKeys } from "./published-keys.ts";
import type { RsaKeyFault } from "./rsa-keys.ts";

/** The parts for fetching an issuer's keys. */
export interface KeySetParts {
  /** The only address for keys, regardless of tokens. */
  readonly url: string;
  readonly transport: Transport;
  readonly time: Time;
  /** Called for every failed fetch. */
  readonly fetchFailed: (error: KeysUnavailableError) => void;
  /** Called for every key in an answer that is too weak to be used. */
  readonly keyRefused: (fault: RsaKeyFault) => void;
}

/** An issuer's keys, which are fetched when they are needed. */
export interface KeySet extends IssuerKeys {
  /** Fetches the keys now, regardless of their age. A failure is reported to `fetchFailed`. */
  readonly fetchKeys: () => Promise<void>;
}

/** Age at which keys are fetched again, so that the gateway stops trusting a withdrawn key, in milliseconds. */
const KEYS_FRESH_MS = 600_000;
/** Age up to which the last keys are used while the issuer is unavailable, in milliseconds. */
const KEYS_USABLE_MS = 3_600_000;
/**
 * Time after a fetch without another fetch, in milliseconds, so that unknown keys and an unavailable issuer cost one
 * fetch.
 */
const FETCH_PAUSE_MS = 30_000;
/** The same time after a failed fetch without usable keys, because all callers wait for a successful fetch. */
const FETCH_PAUSE_WITHOUT_KEYS_MS = 5_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_KEY_SET_BYTES = 256 * 1024;

/**
 * Creates a finder of keys in a JSON Web Key Set (RFC 7517). The set is fetched when it is first needed, when it is too
 * old, and when a token names a missing key.
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
      fetchFailed(unavailable(error));
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
      // A fetch in progress may have been answered before the keys changed.
      await fetching;
      fetching ??= fetchAnew();
      await fetching;
    },
    hasKey: (id) => known?.keys.hasKey(id) ?? false,
  };
}

function unavailable(error: unknown): KeysUnavailableError {
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
    // The parser's message would quote the content.
    return null;
  }
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  if (typeof value !== "object" || value === null || !("keys" in value)) return false;
  const isKey = (key: unknown): boolean =>
    typeof key === "object" && key !== null && !Array.isArray(key);
  return Array.isArray(value.keys) && value.keys.every(isKey);
}
