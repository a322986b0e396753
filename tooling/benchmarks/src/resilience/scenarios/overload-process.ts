import { goodOf, tookAt } from "../../load/samples.ts";
import { type ProviderSettings, withGateway } from "../gateway-under-test.ts";
import { measureLoad } from "../measured-load.ts";
import { overloadFigures } from "../overload-figures.ts";
import { known, type Scenario, type Section } from "../scenario.ts";
import { busy, count, ms, rate } from "../words.ts";

/** More than any gateway can do, so that each of few connections is always in use. */
const ALWAYS = 25_000;
/** As many as the default bulkhead takes, running and waiting. */
const FEW_CONNECTIONS = 64;
/** Of the most good answers. */
const TIMES = 10;

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
  seconds: 15,
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
  { bulkhead, connections, settings, title }: Variant,
  seconds: number,
  progress: (text: string) => void,
): Promise<Section> {
  return withGateway(settings, async (gateway) => {
    await gateway.answerAfter("provider-d", 0);
    const load = { calls: [gateway.call("provider-d")], settleSeconds: 5 };
    const few = { ...load, perSecond: ALWAYS, connections: FEW_CONNECTIONS, seconds: 10 };
    const peak = await measureLoad(gateway, few, progress);
    const perSecond = peak.goodput * TIMES;
    progress(`${count(perSecond)} calls a second`);
    const over = await measureLoad(gateway, { ...load, perSecond, connections, seconds }, progress);
    const best = goodOf(peak.samples);
    return {
      title,
      method:
        `One insurer that answers at once, ${bulkhead}. First ${FEW_CONNECTIONS} connections that are always in use, ` +
        `to find the most good answers; then ten times that for ${seconds} s, from callers that have ` +
        `${count(connections)} connections and ignore Retry-After. The generator, the insurer and the gateway ` +
        `share the machine's cores: what one takes is missing at the others.`,
      figures: [
        known("The most good answers", rate(peak.goodput)),
        known("p50 and p99 of those", `${ms(tookAt(best, 0.5))}, ${ms(tookAt(best, 0.99))}`),
        known(
          "The gateway's CPU, the generator's CPU, at that",
          `${busy(peak.gateway)}, ${busy(peak.generator)}`,
        ),
        ...overloadFigures(peak.goodput, over),
      ],
    };
  });
}
