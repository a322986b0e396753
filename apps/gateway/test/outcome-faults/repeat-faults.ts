import type { Fault, Repeat } from "./fault.ts";
import type { Conduct } from "./insurer.ts";

/** The insurer's conduct in the first request. The gateway then refuses a repetition of the request's key. */
const firsts: Readonly<Record<string, Conduct>> = {
  "executed the first request and closed the connection": { answer: () => [], end: "close" },
  "executed the first request and answered": {},
  "did nothing with the first request and closed the connection": {
    acts: false,
    answer: () => [],
    end: "close",
  },
};

const repeats: readonly Repeat[] = [
  "with an invalid token",
  "over the limit",
  "as text",
  "as broken JSON",
  "accepting only XML",
];

/** Repetitions of the same key that fail for a reason unrelated to the insurer. */
export const repeatFaults: readonly Fault[] = [
  ...Object.entries(firsts).flatMap(([what, conduct]) =>
    repeats.map(
      (repeat): Fault => ({
        name: `${what}, and the key is repeated ${repeat}`,
        kinds: ["submission"],
        conduct,
        repeat,
        // A caller may make one request in two seconds.
        ...(repeat === "over the limit"
          ? { provider: { callerLimit: { requests: 1, windowSeconds: 2 } } }
          : {}),
      }),
    ),
  ),
  {
    name: "executed the first request and closed the connection, which opened the circuit breaker",
    kinds: ["submission"],
    conduct: { answer: () => [], end: "close" },
    provider: { breaker: { failuresInRow: 1 } },
  },
];
