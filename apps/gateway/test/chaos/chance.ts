import { randomInt } from "node:crypto";

/** Random numbers that are the same for the same seed. */
export interface Chance {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns a number between two numbers. */
  between(low: number, high: number): number;
}

/** Creates random numbers from a seed. The generator, mulberry32, is good enough for the choices of a test. */
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

/** Returns the number of rounds in which a gateway is killed: the environment variable `CHAOS_ROUNDS`. Default: 200. */
export function roundsToRun(): number {
  return wholeNumber("CHAOS_ROUNDS") ?? 200;
}

/**
 * Returns the number of rounds of each fault of the store: the environment variable `CHAOS_FAULT_ROUNDS`. Default: 10.
 */
export function faultRounds(): number {
  return wholeNumber("CHAOS_FAULT_ROUNDS") ?? 10;
}

/** Returns the number of rounds of equal requests: the environment variable `CHAOS_CONTENT_ROUNDS`. Default: 10. */
export function contentRounds(): number {
  return wholeNumber("CHAOS_CONTENT_ROUNDS") ?? 10;
}

/** Returns the number of reloads: the environment variable `RELOAD_ROUNDS`. Default: 20. */
export function reloadRounds(): number {
  return wholeNumber("RELOAD_ROUNDS") ?? 20;
}

/**
 * Returns the seed of a run: the environment variable `CHAOS_SEED`, to repeat an earlier run. Default: a random seed.
 */
export function seedOfRun(): number {
  return wholeNumber("CHAOS_SEED") ?? randomInt(2 ** 31);
}

function wholeNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new TypeError(`${name} must be a whole number`);
}
