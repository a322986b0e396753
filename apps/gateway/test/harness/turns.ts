import { setImmediate } from "node:timers/promises";

/** Waits some turns of the event loop, so that the process does all work that is possible without time passing. */
export async function waitTurns(count = 100): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
