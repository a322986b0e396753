import { goodOf, tookAt } from "../../load/samples.ts";
import { medianOf } from "../../statistics.ts";
import {
  type GatewayUnderTest,
  type ProviderSettings,
  withGateway,
} from "../gateway-under-test.ts";
import { type MeasuredLoad, measureLoad } from "../measured-load.ts";
import { type OverloadRound, overloadFigures } from "../overload-figures.ts";
import { known, type Scenario, type Section } from "../scenario.ts";
import { busy, count, ms, rate } from "../words.ts";

/** More than any gateway can do, so that each of few connections is always in use. */
const ALWAYS = 25_000;
/** As many as the default bulkhead takes, running and waiting. */
const FEW_CONNECTIONS = 64;
/** Of the most good answers. */
const TIMES = 10;
/** How often a gateway is given as much as it can take, and then too much. */
const ROUNDS = 5;
/** V8 compiles what a call runs during the first 100,000 of them: until then the most good answers would be too few. */
const WARM_UP_SECONDS = 40;
const SETTLE_SECONDS = 3;

/** What the gateway and its callers are like. */
interface Variant {
  readonly title: string;
  readonly bulkhead: string;
  readonly settings: ProviderSettings;
  /** Of the callers, under the overload. */
  readonly connections: number;
}

/** For an insurer that answers at once: many may wait, because nobody waits for long. */
const wide: ProviderSettings = { bulkhead: { running: 128, queued: 1_024 } };

const variants: readonly Variant[] = [
  {
    title: "Ten times what the gateway's process can take, over 900 connections",
    bulkhead: "behind a bulkhead of 128 running and 1,024 waiting",
    settings: wide,
    connections: 900,
  },
  {
    title: "Ten times what the gateway's process can take, over 3,000 connections",
    bulkhead: "behind a bulkhead of 128 running and 1,024 waiting",
    settings: wide,
    connections: 3_000,
  },
  {
    title: "The same, over 900 connections, with the default bulkhead",
    bulkhead: "behind the default bulkhead of 32 running and 32 waiting",
    settings: {},
    connections: 900,
  },
];

/** More calls than the gateway's process can take. */
export const overloadProcess: Scenario = {
  name: "overload-process",
  about: "what is left of the good answers at ten times what the gateway's process can take",
  seconds: 8,
  async run(seconds, progress) {
    const sections: Section[] = [];
    for (const variant of variants) {
      progress(variant.title);
      sections.push(await overload(variant, seconds, progress));
    }
    return sections;
  },
};

function overload(
  variant: Variant,
  seconds: number,
  progress: (text: string) => void,
): Promise<Section> {
  return withGateway(variant.settings, async (gateway) => {
    await gateway.answerAfter("provider-d", 0);
    const rounds = await measureRounds(gateway, variant.connections, seconds, progress);
    return sectionOf(variant, seconds, rounds);
  });
}

/** Sends as much as the gateway can take and then too much, several times, after a warm-up. */
async function measureRounds(
  gateway: GatewayUnderTest,
  connections: number,
  seconds: number,
  progress: (text: string) => void,
): Promise<readonly OverloadRound[]> {
  const load = { calls: [gateway.call("provider-d")], settleSeconds: SETTLE_SECONDS, seconds };
  const few = { ...load, perSecond: ALWAYS, connections: FEW_CONNECTIONS };
  progress("warm-up");
  await measureLoad(gateway, { ...few, seconds: WARM_UP_SECONDS }, progress);
  const rounds: OverloadRound[] = [];
  for (let number = 1; number <= ROUNDS; number += 1) {
    const peak = await measureLoad(gateway, few, progress);
    const perSecond = peak.goodput * TIMES;
    progress(`round ${number} of ${ROUNDS}: ${count(perSecond)} calls a second`);
    const over = await measureLoad(gateway, { ...load, perSecond, connections }, progress);
    rounds.push({ peak, over });
  }
  return rounds;
}

function sectionOf(
  { bulkhead, connections, title }: Variant,
  seconds: number,
  rounds: readonly OverloadRound[],
): Section {
  const peaks = rounds.map(({ peak }) => peak);
  const best = peaks.flatMap(({ samples }) => goodOf(samples));
  const middle = (value: (peak: MeasuredLoad) => number): number =>
    medianOf(peaks.map(value)).median;
  const cpu = (program: "gateway" | "generator"): string =>
    busy(middle((peak) => peak[program].cpuPercent));
  return {
    title,
    method:
      `One insurer that answers at once, ${bulkhead}. After a warm-up of ${WARM_UP_SECONDS} s, ${ROUNDS} times in turn: ` +
      `${FEW_CONNECTIONS} connections that are always in use for ${seconds} s, to find the most good answers; then ten ` +
      `times as many calls are due for ${seconds} s, from callers that have ${count(connections)} connections and ignore ` +
      "Retry-After. A connection sends its next call when it has the answer to the one before, so that fewer are sent. " +
      "Of the overload, latencies and endings are those of all rounds, and the rest is that of the round whose part of good answers " +
      "is the median. The generator, the insurer and the gateway share the machine's cores: what one takes " +
      "is missing at the others.",
    figures: [
      known("The most good answers, median", rate(middle(({ goodput }) => goodput))),
      known("p50 and p99 of those", `${ms(tookAt(best, 0.5))}, ${ms(tookAt(best, 0.99))}`),
      known(
        "The gateway's CPU, the generator's CPU, at that",
        `${cpu("gateway")}, ${cpu("generator")}`,
      ),
      ...overloadFigures(rounds),
    ],
  };
}
