import { LRUCache } from "lru-cache";
import { longestKeptMs } from "../answers/lookup-sharing.ts";
import type { UpstreamAnswer } from "../answers/upstream-answer.ts";

/** Names an answer: what was asked, and the account that asked. */
export interface LookupPlace {
  readonly key: string;
  readonly account: string;
}

/** An answer in memory, and how long ago the insurer gave it, in milliseconds. */
export interface FoundResponse {
  readonly answer: UpstreamAnswer;
  readonly ageMs: number;
}

/** An answer in memory that is fresh. */
export interface FreshResponse extends FoundResponse {
  /** How long it is fresh in all, in milliseconds. */
  readonly withinMs: number;
  /** Whether the insurer may be asked again: for a while after a failure it is not. */
  readonly mayRefresh: boolean;
}

/** Facts about an answer that is put into memory. */
export interface KeptFacts {
  /** The value of `epoch` before the insurer was asked. */
  readonly epoch: number;
  /** How long the answer is fresh, in milliseconds. */
  readonly freshMs: number;
  /** Whether it is the same for all accounts. */
  readonly isShared: boolean;
}

/** The last good answers of lookups: for all accounts, or for the account that asked. */
export type LookupResponses = ReturnType<typeof createLookupResponses>;

/** All answers of one insurer together may have this many bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The size of an answer beside its text: its headers, and its entry here. */
const BYTES_BESIDE = 2_048;

/** How long the insurer is not asked again in the background after that failed. */
const REFRESH_DELAY_MS = 30_000;

/** The largest number of refused questions that are remembered. */
const MOST_REFUSED = 1_000;

/** Marks a key whose answers are each account's own. */
const OWN = "own";

interface KeptResponse {
  readonly answer: UpstreamAnswer;
  readonly at: number;
  /** The size of the content in bytes. */
  readonly bytes: number;
  /** How long it may be used at most, in milliseconds, whatever is declared or configured. */
  readonly mostMs: number;
  /** Whether it came on a connection of its own: with other settings, another one would become fresh. */
  readonly mayBeFresh: boolean;
  /** Null for one of all accounts. */
  readonly owner: string | null;
  refreshFrom: number;
}

/**
 * Makes one that is empty.
 * @param staleHours - how old a response may be, as it is set now; with 0 nothing is found once it is not fresh
 */
export function createLookupResponses(staleHours: () => number, now: () => number) {
  const kept = new LRUCache<string, KeptResponse | typeof OWN>({ maxSize: MOST_BYTES });
  const refused = new LRUCache<string, string>({ max: MOST_REFUSED });
  const longestMs = (): number => staleHours() * 3_600_000;
  let current = 0;

  function responseAt({ account, key }: LookupPlace): KeptResponse | undefined {
    const found = kept.get(key);
    if (found !== OWN) return found;
    const own = kept.get(ownKey(key, account));
    return own === OWN ? undefined : own;
  }

  function put(key: string, response: KeptResponse | typeof OWN): void {
    kept.set(key, response, { size: sizeOf(key, response) });
  }

  return {
    /** Grows when answers are dropped: an answer to an earlier question is not put into memory. */
    epoch: (): number => current,
    /** Whether each account has an answer of its own. */
    isOwn: (key: string): boolean => kept.peek(key) === OWN,
    /** Keeps an answer. Returns how long it may be used at most, in milliseconds. */
    keep(
      place: LookupPlace,
      answer: UpstreamAnswer,
      { epoch, freshMs, isShared }: KeptFacts,
    ): number {
      const { account, key } = place;
      const content = String(answer.content);
      const bytes = answer.bytes?.length ?? answer.contentLength ?? Buffer.byteLength(content);
      const mostMs = longestKeptMs(content, bytes, responseAt(place)?.bytes ?? 0);
      if (epoch !== current || (longestMs() === 0 && freshMs === 0)) return mostMs;
      refused.delete(ownKey(key, account));
      const owner = isShared ? null : account;
      const response = {
        answer: ownBytes(answer),
        at: now(),
        bytes,
        mostMs,
        mayBeFresh: freshMs > 0,
        owner,
        refreshFrom: 0,
      };
      if (!isShared) put(key, OWN);
      put(isShared ? key : ownKey(key, account), response);
      return mostMs;
    },
    /** Returns the answer for use while the insurer fails; null without one that is young enough. */
    find(place: LookupPlace): FoundResponse | null {
      const found = responseAt(place);
      if (found === undefined || refused.has(ownKey(place.key, place.account))) return null;
      const { answer, at, mostMs } = found;
      const ageMs = now() - at;
      return longestMs() > 0 && ageMs <= Math.min(longestMs(), mostMs) ? { answer, ageMs } : null;
    },
    /** Returns the answer if it is younger than a number of milliseconds, otherwise null. */
    findFresh(place: LookupPlace, declaredMs: number): FreshResponse | null {
      const found = responseAt(place);
      if (found?.mayBeFresh !== true) return null;
      const { answer, at, mostMs, refreshFrom } = found;
      const ageMs = now() - at;
      const withinMs = Math.min(declaredMs, mostMs);
      const mayRefresh = now() >= refreshFrom;
      return ageMs < withinMs ? { answer, ageMs, mayRefresh, withinMs } : null;
    },
    /** Prevents background refreshes of an answer for a while. */
    delayRefresh(place: LookupPlace): void {
      const found = responseAt(place);
      if (found !== undefined) found.refreshFrom = now() + REFRESH_DELAY_MS;
    },
    /** Forgets the answer. */
    forget: ({ account, key }: LookupPlace): void =>
      void kept.delete(kept.peek(key) === OWN ? ownKey(key, account) : key),
    /** Notes that the insurer refuses this account: it gets no answer of before while the insurer fails. */
    refuse({ account, key }: LookupPlace): void {
      kept.delete(ownKey(key, account));
      refused.set(ownKey(key, account), account);
    },
    /** Forgets all answers; returns their number. */
    drop(): number {
      const answers = [...kept.values()].filter((response) => response !== OWN);
      kept.clear();
      current += 1;
      return answers.length;
    },
    /** Forgets the answers of accounts that have changed. */
    dropOf(hasChanged: (account: string) => boolean): void {
      for (const [key, response] of kept.entries())
        if (response !== OWN && response.owner !== null && hasChanged(response.owner))
          kept.delete(key);
      for (const [key, account] of refused.entries()) if (hasChanged(account)) refused.delete(key);
      current += 1;
    },
  };
}

/** Names the answer of one account. */
export function ownKey(key: string, account: string): string {
  return `${key} ${JSON.stringify(account)}`;
}

/** In memory of its own: the bytes that the transport read may be a part of more. */
function ownBytes(answer: UpstreamAnswer): UpstreamAnswer {
  return answer.bytes === undefined ? answer : { ...answer, bytes: Buffer.from(answer.bytes) };
}

function sizeOf(key: string, response: KeptResponse | typeof OWN): number {
  if (response === OWN) return BYTES_BESIDE + 2 * key.length;
  const { bytes, compressed, content } = response.answer;
  const characters = key.length + String(content).length;
  return BYTES_BESIDE + 2 * characters + (bytes?.length ?? 0) + (compressed?.length ?? 0);
}
