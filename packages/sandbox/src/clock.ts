import type { Clock } from "@insurance-gateway/adapter/sandbox";
import type { FastifyInstance } from "fastify";

/** Clock of the simulated insurers. It can be ahead of the machine's clock, so that tests need not wait. */
export interface SandboxClock {
  readonly now: Clock;
  aheadMinutes(): number;
  setAhead(minutes: number): void;
}

/** Maximum number of minutes that the sandbox's clock can be ahead of the machine's clock: ten years. */
const MAX_MINUTES_AHEAD = 5_256_000;

/**
 * Creates the clock of a sandbox.
 * @param text - value of the environment variable `SANDBOX_AHEAD_MINUTES`: the minutes that the clock is ahead
 * @throws TypeError if the text is not a whole number from 0 to 5,256,000
 */
export function createSandboxClock(text = "0"): SandboxClock {
  let ahead = parseMinutes(text);
  if (ahead === null)
    throw new TypeError(
      `SANDBOX_AHEAD_MINUTES must be a whole number from 0 to ${MAX_MINUTES_AHEAD}`,
    );
  return {
    now: () => new Date(Date.now() + (ahead ?? 0) * 60_000),
    aheadMinutes: () => ahead ?? 0,
    setAhead(minutes) {
      ahead = minutes;
    },
  };
}

/** Parses a number of minutes; null for an invalid text. */
function parseMinutes(text: string): number | null {
  return /^\d{1,7}$/.test(text) && Number(text) <= MAX_MINUTES_AHEAD ? Number(text) : null;
}

/** Adds the control route that reads and moves the clock: `PUT /-/clock/{minutes ahead}`. */
export function addClockControl(server: FastifyInstance, clock: SandboxClock): void {
  const state = (): object => ({
    aheadMinutes: clock.aheadMinutes(),
    now: clock.now().toISOString(),
  });
  server.get("/-/clock", async () => state());
  server.put<{ Params: { readonly minutes: string } }>(
    "/-/clock/:minutes",
    async (request, reply) => {
      const minutes = parseMinutes(request.params.minutes);
      if (minutes === null) return reply.code(400).send({ mostMinutes: MAX_MINUTES_AHEAD });
      clock.setAhead(minutes);
      return state();
    },
  );
}
