import type { Sample } from "../load/load.ts";
import { isGood } from "../load/plan.ts";
import { endingsIn, goodOf, lateAt, tookAt } from "../load/samples.ts";
import { medianOf } from "../statistics.ts";
import type { MeasuredLoad } from "./measured-load.ts";
import { type Figure, known, wanted } from "./scenario.ts";
import { busy, memory, ms, rate } from "./words.ts";

/** A load with the most good answers, and then one that is too much. */
export interface OverloadRound {
  readonly peak: MeasuredLoad;
  readonly over: MeasuredLoad;
}

/** Which part of the most good answers is to be left. */
const WANTED_PART = 0.8;

/**
 * What became of loads that were too much, beside the most that had been possible. Latencies and endings are those of all
 * rounds; the rest is that of the round whose part of good answers is the median.
 * @param rounds - an odd number of them
 */
export function overloadFigures(rounds: readonly OverloadRound[]): readonly Figure[] {
  const parts = rounds.map(partOf);
  const { median } = medianOf(parts);
  const shown = rounds.toSorted((one, other) => partOf(one) - partOf(other))[
    Math.floor((rounds.length - 1) / 2)
  ];
  if (shown === undefined) throw new TypeError("No round was measured");
  const { gateway, generator, goodput, notSent, offered } = shown.over;
  const samples = rounds.flatMap(({ over }) => over.samples);
  const good = goodOf(samples);
  const rest = samples.filter(({ ending }) => !isGood(ending));
  const range =
    rounds.length === 1
      ? ""
      : `; rounds from ${percent(Math.min(...parts))} to ${percent(Math.max(...parts))} %`;
  return [
    known(
      "Calls that were sent",
      `${rate(offered)} (${(offered / shown.peak.goodput).toFixed(1)} ×)`,
    ),
    known("Calls that were due while every connection was in use, and not sent", rate(notSent)),
    wanted(
      "Good answers meanwhile",
      `${rate(goodput)} (${percent(median)} %${range})`,
      `≥ ${percent(WANTED_PART)} %`,
      median >= WANTED_PART,
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
    known(
      "The gateway's CPU, the generator's CPU",
      `${busy(gateway.cpuPercent)}, ${busy(generator.cpuPercent)}`,
    ),
  ];
}

function partOf({ over, peak }: OverloadRound): number {
  return over.goodput / peak.goodput;
}

function percent(part: number): number {
  return Math.round(part * 100);
}

function isOrderly({ ending: { retryAfter, status } }: Sample): boolean {
  return (status === 429 || status === 503) && retryAfter;
}
