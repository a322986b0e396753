import { setTimeout } from "node:timers/promises";

const CHECK_INTERVAL_MS = 200;

/**
 * Waits until a number is 0.
 * @param what - noun for the error message "was still waiting for …"
 * @param left - returns the number
 */
export async function waitUntilNone(
  what: string,
  withinMs: number,
  left: () => number | Promise<number>,
): Promise<void> {
  const end = Date.now() + withinMs;
  for (let count = await left(); count > 0; count = await left()) {
    if (Date.now() > end)
      throw new Error(`After ${withinMs} ms, it was still waiting for ${what}: ${count}`);
    await setTimeout(CHECK_INTERVAL_MS);
  }
}
