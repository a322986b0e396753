import { randomInt } from "node:crypto";

/** Chance that comes out the same again from the same seed. */
export interface Chance {
  /** A number from 0 up to 1. */
  next(): number;
  /** A number between the two. */
  between(low: number, high: number): number;
}

/** Makes chance of a seed: mulberry32, which is small and even enough to choose moments with. */
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

/** How many rounds of kills there are: `CHAOS_ROUNDS`, or 200. */
export function roundsToRun(): number {
  return wholeNumber("CHAOS_ROUNDS") ?? 200;
}

/** How many rounds of each fault of the store there are: `CHAOS_FAULT_ROUNDS`, or 10. */
export function faultRounds(): number {
  return wholeNumber("CHAOS_FAULT_ROUNDS") ?? 10;
}

/** How many rounds of equal requests there are: `CHAOS_CONTENT_ROUNDS`, or 10. */
export function contentRounds(): number {
  return wholeNumber("CHAOS_CONTENT_ROUNDS") ?? 10;
}

/** How many reloads there are: `RELOAD_ROUNDS`, or 20. */
export function reloadRounds(): number {
  return wholeNumber("RELOAD_ROUNDS") ?? 20;
}

/** The seed of a run: `CHAOS_SEED` to repeat one, or a new one. */
export function seedOfRun(): number {
  return wholeNumber("CHAOS_SEED") ?? randomInt(2 ** 31);
}

function wholeNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new TypeError(`${name} must be a whole number`);
}
