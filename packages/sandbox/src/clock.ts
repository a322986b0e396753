import type { Clock } from "@insurance-gateway/adapter/sandbox";
import type { FastifyInstance } from "fastify";

/** Clock of the simulated insurers. It can be ahead of the machine's clock, so that tests need not wait. */
export interface SandboxClock {
  readonly now: Clock;
  aheadMinutes(): number;
  setAhead(minutes: number): void;
}

/** Maximum of minutes that the clock can be ahead: ten years. */
const MOST_MINUTES = 5_256_000;

/**
 * Creates the clock.
 * @param text - value of the environment variable `SANDBOX_AHEAD_MINUTES`: the minutes that the clock is ahead
 * @throws TypeError if the text is not a whole number from 0 to 5,256,000
 */
export function createSandboxClock(text = "0"): SandboxClock {
  let ahead = minutesIn(text);
  if (ahead === null)
    throw new TypeError(`SANDBOX_AHEAD_MINUTES must be a whole number from 0 to ${MOST_MINUTES}`);
  return {
    now: () => new Date(Date.now() + (ahead ?? 0) * 60_000),
    aheadMinutes: () => ahead ?? 0,
    setAhead(minutes) {
      ahead = minutes;
    },
  };
}

function minutesIn(text: string): number | null {
  return /^\d{1,7}$/.test(text) && Number(text) <= MOST_MINUTES ? Number(text) : null;
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
      const minutes = minutesIn(request.params.minutes);
      if (minutes === null) return reply.code(400).send({ mostMinutes: MOST_MINUTES });
      clock.setAhead(minutes);
      return state();
    },
  );
}
