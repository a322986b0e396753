import { setTimeout as wait } from "node:timers/promises";
import { clock } from "../../clock.ts";
import { type Sample, startLoad } from "../../load/load.ts";
import { isGood } from "../../load/plan.ts";
import { dueWithin, endingsIn, goodOf } from "../../load/samples.ts";
import {
  type GatewayUnderTest,
  type ProviderSettings,
  withGateway,
} from "../gateway-under-test.ts";
import { CALLER_WAITS_MS } from "../measured-load.ts";
import { type Figure, known, type Scenario, type Section, wanted } from "../scenario.ts";
import { showSeconds } from "../show-seconds.ts";
import { count, seconds as inSeconds } from "../words.ts";

const PER_SECOND = 100;
const SETTLE_MS = 5_000;
/** What is saved up for retries is spent by then, unless the run is shorter. */
const BUDGET_SPENT_MS = 10_000;
/** It has recovered when every call of so many seconds was good. */
const CALM_SECONDS = 3;
const GIVE_UP_AFTER_MS = 150_000;

/** An insurer fails, and heals. */
export const failing: Scenario = {
  name: "failing",
  about: "how many requests an insurer gets that answers 503 to all, and how soon it is used again",
  seconds: 40,
  async run(seconds, progress) {
    const run = (title: string, about: string, settings: ProviderSettings): Promise<Section> =>
      withGateway(settings, async (gateway) => ({
        title,
        method:
          `${PER_SECOND} calls a second to one insurer, which answers each with a bare 503 for ${seconds} s, ` +
          `and then works again. ${about}`,
        figures: figuresOf(await failAndHeal(gateway, seconds, progress)),
      }));
    return [
      await run("An insurer fails", "Everything is as it is by default.", {}),
      await run(
        "An insurer fails, and no breaker opens",
        "The breaker is configured never to open, so that only the retry budget protects the insurer.",
        { breaker: { failuresInRow: 10_000, leastCalls: 10_000 } },
      ),
    ];
  },
};

interface Course {
  readonly sent: readonly Sample[];
  /** When each request reached the insurer. */
  readonly arrivals: readonly number[];
  readonly failedAt: number;
  readonly healedAt: number;
}

async function failAndHeal(
  gateway: GatewayUnderTest,
  seconds: number,
  progress: (text: string) => void,
): Promise<Course> {
  const show = showSeconds(progress);
  const calm = { seconds: 0 };
  const load = await startLoad(
    {
      origin: gateway.origin,
      calls: [gateway.call("provider-d")],
      perSecond: PER_SECOND,
      connections: 500,
      timeoutMs: CALLER_WAITS_MS,
    },
    (second) => {
      calm.seconds = second.good > 0 && second.other === 0 ? calm.seconds + 1 : 0;
      show(second);
    },
  );
  const insurer = gateway.insurer("provider-d");
  await wait(SETTLE_MS);
  progress("the insurer fails");
  await insurer.behave({ afterMs: 20, status: 503, body: "" });
  const failedAt = clock();
  await wait(seconds * 1_000);
  progress("the insurer works again");
  await gateway.answerAfter("provider-d", 20);
  const healedAt = clock();
  calm.seconds = 0;
  while (calm.seconds < CALM_SECONDS && clock() < healedAt + GIVE_UP_AFTER_MS) await wait(200);
  const { sent } = await load.end();
  return { sent, arrivals: await insurer.arrivals(), failedAt, healedAt };
}

function figuresOf({ arrivals, failedAt, healedAt, sent }: Course): readonly Figure[] {
  const failing = dueWithin(sent, failedAt, healedAt);
  const between = (from: number): number =>
    arrivals.filter((at) => at >= from && at < healedAt).length;
  const settledAt = failedAt + Math.min(BUDGET_SPENT_MS, (healedAt - failedAt) / 2);
  const ratio = between(settledAt) / dueWithin(sent, settledAt, healedAt).length;
  return [
    known("Calls while it failed", count(failing.length)),
    known("How they ended", endingsIn(failing)),
    known("Requests that the insurer got", count(between(failedAt))),
    wanted(
      `Requests for each call, after the first ${inSeconds(settledAt - failedAt)}`,
      ratio.toFixed(2),
      "≤ 1.2",
      Number(ratio.toFixed(2)) <= 1.2,
    ),
    ...recovery(sent, healedAt),
  ];
}

function recovery(sent: readonly Sample[], healedAt: number): readonly Figure[] {
  const after = sent.filter(({ dueAt }) => dueAt >= healedAt);
  const good = goodOf(after);
  const bad = after.filter(({ ending }) => !isGood(ending));
  const first = good.length === 0 ? null : Math.min(...good.map(({ dueAt }) => dueAt)) - healedAt;
  const last =
    good.length === 0 ? null : Math.max(healedAt, ...bad.map(({ dueAt }) => dueAt)) - healedAt;
  const within = (figure: string, after: number | null): Figure =>
    wanted(
      figure,
      after === null ? `not within ${inSeconds(GIVE_UP_AFTER_MS)}` : `after ${inSeconds(after)}`,
      "≤ 60 s",
      after !== null && after <= 60_000,
    );
  return [
    within("The first success once it works again", first),
    within("The last failure once it works again", last),
  ];
}
