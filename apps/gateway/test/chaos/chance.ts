import { randomInt } from "node:crypto";

/** A random number generator that repeats its numbers for the same seed. */
export interface Chance {
  /** Returns a number from 0 up to 1, without 1. */
  next(): number;
  /** Returns a number between `low` and `high`. */
  between(low: number, high: number): number;
}

/** Creates a generator with the algorithm mulberry32, which is small and even enough to choose moments. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, between: (low, high) => low + next() * (high - low) };
}

/** Returns the number of rounds with kills: `CHAOS_ROUNDS`, or 200. */
export function roundsToRun(): number {
  return wholeNumber("CHAOS_ROUNDS") ?? 200;
}

/** Returns the number of rounds for each fault of the store: `CHAOS_FAULT_ROUNDS`, or 10. */
export function faultRounds(): number {
  return wholeNumber("CHAOS_FAULT_ROUNDS") ?? 10;
}

/** Returns the number of rounds with equal requests: `CHAOS_CONTENT_ROUNDS`, or 10. */
export function contentRounds(): number {
  return wholeNumber("CHAOS_CONTENT_ROUNDS") ?? 10;
}

/** Returns the number of reloads: `RELOAD_ROUNDS`, or 20. */
export function reloadRounds(): number {
  return wholeNumber("RELOAD_ROUNDS") ?? 20;
}

/** Returns the seed of a run: `CHAOS_SEED` repeats a run; otherwise the seed is new. */
export function seedOfRun(): number {
  return wholeNumber("CHAOS_SEED") ?? randomInt(2 ** 31);
}

function wholeNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new TypeError(`${name} must be a whole number`);
}
