import type { Sample } from "../load/load.ts";
import { isGood } from "../load/plan.ts";
import { endingsIn, goodOf, lateAt, tookAt } from "../load/samples.ts";
import type { MeasuredLoad } from "./measured-load.ts";
import { type Figure, known, wanted } from "./scenario.ts";
import { busy, memory, ms, rate } from "./words.ts";

/** What became of a load that was too much, beside the most that had been possible. */
export function overloadFigures(peak: number, over: MeasuredLoad): readonly Figure[] {
  const { gateway, generator, goodput, notSent, offered, samples } = over;
  const good = goodOf(samples);
  const rest = samples.filter(({ ending }) => !isGood(ending));
  return [
    known("Calls that were sent", `${rate(offered)} (${(offered / peak).toFixed(1)} ×)`),
    known("Calls that were due while every connection was in use, and not sent", rate(notSent)),
    wanted(
      "Good answers meanwhile",
      `${rate(goodput)} (${Math.round((goodput / peak) * 100)} %)`,
      "≥ 80 %",
      goodput >= peak * 0.8,
    ),
    known("p50 and p99 of those", `${ms(tookAt(good, 0.5))}, ${ms(tookAt(good, 0.99))}`),
    wanted(
      "How all others ended",
      endingsIn(rest),
      "429 or 503, with Retry-After",
      rest.every(isOrderly),
    ),
    known("How long those others took, p99", ms(tookAt(rest, 0.99))),
    known("How late the generator sent, p99", ms(lateAt(samples, 0.99))),
    known("The gateway's memory", memory(gateway)),
    known("The gateway's CPU, the generator's CPU", `${busy(gateway)}, ${busy(generator)}`),
  ];
}

function isOrderly({ ending: { retryAfter, status } }: Sample): boolean {
  return (status === 429 || status === 503) && retryAfter;
}
