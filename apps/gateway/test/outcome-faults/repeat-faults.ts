import type { Fault, Repeat } from "./fault.ts";
import type { Conduct } from "./insurer.ts";

/** The insurer's conduct in the first request, whose key is then repeated in a way that the gateway refuses. */
const firsts: Readonly<Record<string, Conduct>> = {
  "carried the first request out and closed": { answer: () => [], end: "close" },
  "carried the first request out and answered": {},
  "did nothing with the first request and closed": { acts: false, answer: () => [], end: "close" },
};

const repeats: readonly Repeat[] = [
  "with an invalid token",
  "over the limit",
  "as text",
  "as broken JSON",
  "accepting only XML",
];

/** The same key again, with something in its way that has nothing to do with the insurer. */
export const repeatFaults: readonly Fault[] = [
  ...Object.entries(firsts).flatMap(([what, conduct]) =>
    repeats.map(
      (repeat): Fault => ({
        name: `${what}, and the same key comes again ${repeat}`,
        kinds: ["submission"],
        conduct,
        repeat,
        // One request of a caller in two seconds.
        ...(repeat === "over the limit"
          ? { provider: { callerLimit: { requests: 1, windowSeconds: 2 } } }
          : {}),
      }),
    ),
  ),
  {
    name: "carried the first request out and closed, and is then left alone by the breaker",
    kinds: ["submission"],
    conduct: { answer: () => [], end: "close" },
    provider: { breaker: { failuresInRow: 1 } },
  },
];
