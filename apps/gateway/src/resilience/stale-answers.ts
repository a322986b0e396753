import { LRUCache } from "lru-cache";

/** The last good answers of lookups, which are the same for everybody. */
export interface StaleAnswers<Answer> {
  /** @param characters - how long the answer is */
  keep(key: string, answer: Answer, characters: number): void;
  /** The answer and its age in whole seconds; null when there is none that is young enough. */
  find(key: string): { readonly answer: Answer; readonly ageSeconds: number } | null;
}

/** All answers of one insurer together may have this many bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What an answer takes beside its text: its headers, and its place here. */
const BYTES_BESIDE = 2_048;

/** Makes one that is empty; with `staleHours` 0 it stays so. */
export function createStaleAnswers<Answer>(
  staleHours: number,
  now: () => number,
): StaleAnswers<Answer> {
  const kept = new LRUCache<string, { readonly answer: Answer; readonly at: number }>({
    maxSize: MOST_BYTES,
  });
  const longestMs = staleHours * 3_600_000;
  return {
    keep(key, answer, characters) {
      const size = BYTES_BESIDE + 2 * (key.length + characters);
      if (longestMs > 0) kept.set(key, { answer, at: now() }, { size });
    },
    find(key) {
      const found = kept.get(key);
      if (found === undefined || now() - found.at > longestMs) return null;
      const ageSeconds = Math.floor((now() - found.at) / 1_000);
      return { answer: found.answer, ageSeconds };
    },
  };
}
