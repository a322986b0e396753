import { setTimeout as wait } from "node:timers/promises";
import { clock } from "../../clock.ts";
import { type Sample, startLoad } from "../../load/load.ts";
import { dueWithin, endingsIn, goodOf, lateAt, tookAt } from "../../load/samples.ts";
import type { ProviderName } from "../calls.ts";
import { withGateway } from "../gateway-under-test.ts";
import { CALLER_WAITS_MS } from "../measured-load.ts";
import { type Figure, known, type Scenario, wanted } from "../scenario.ts";
import { showSeconds } from "../show-seconds.ts";
import { count, seconds as inSeconds, ms } from "../words.ts";

const PER_SECOND = 400;
const TOTAL_MS = 2_000;
const SETTLE_MS = 5_000;
/** Not one whose kept answers stand in for it. */
const SICK: ProviderName = "provider-d";

/** One of five insurers stops answering. */
export const neighbours: Scenario = {
  name: "neighbours",
  about: "what the callers of four insurers notice when the fifth stops answering",
  seconds: 30,
  run: (seconds, progress) =>
    withGateway({ timeouts: { totalMs: TOTAL_MS } }, async (gateway) => {
      const { calls, origin } = gateway;
      const load = await startLoad(
        { origin, calls, perSecond: PER_SECOND, connections: 500, timeoutMs: CALLER_WAITS_MS },
        showSeconds(progress),
      );
      await wait(SETTLE_MS);
      const begunAt = clock();
      await wait((seconds * 1_000) / 2);
      progress("one insurer stops");
      const frozenAt = clock();
      gateway.insurer(SICK).freeze();
      await wait(seconds * 1_000);
      const endedAt = clock();
      const { notSentAt, sent } = await load.end();
      const before = dueWithin(sent, begunAt, frozenAt);
      const during = dueWithin(sent, frozenAt, endedAt);
      return [
        {
          title: "One of five insurers stops answering",
          method:
            `${PER_SECOND} calls a second in turn to five insurers that answer after 20 ms, for ${seconds / 2} s; then ` +
            `one insurer's process is stopped (SIGSTOP: it takes connections and answers nothing) for ${seconds} s. ` +
            `\`timeouts.totalMs\` is ${count(TOTAL_MS)}, everything else as it is by default.`,
          figures: [
            ...ofTheOthers(healthy(before), healthy(during)),
            ...ofTheSick(during.filter(isSick), frozenAt, tookAt(healthy(during), 0.99)),
            known(
              "How late the generator itself sent, p99 before → during",
              `${ms(lateAt(before, 0.99))} → ${ms(lateAt(during, 0.99))}`,
            ),
            known("Calls that the generator could not send", count(notSentAt.length)),
          ],
        },
      ];
    }),
};

function isSick({ call }: Sample): boolean {
  return call === SICK;
}

function healthy(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter((sample) => !isSick(sample));
}

function ofTheOthers(before: readonly Sample[], during: readonly Sample[]): readonly Figure[] {
  const [calm, troubled] = [tookAt(before, 0.99), tookAt(during, 0.99)];
  const errors = during.length - goodOf(during).length;
  return [
    known(
      "The other four, p50 before → during",
      `${ms(tookAt(before, 0.5))} → ${ms(tookAt(during, 0.5))}`,
    ),
    wanted(
      "The other four, p99 before → during",
      `${ms(calm)} → ${ms(troubled)} (${(troubled / calm).toFixed(2)} ×)`,
      "≤ 1.2 ×",
      troubled <= calm * 1.2,
    ),
    wanted(
      "The other four, calls that failed",
      errors === 0 ? `0 of ${count(during.length)}` : endingsIn(during),
      "0",
      errors === 0,
    ),
  ];
}

function ofTheSick(
  samples: readonly Sample[],
  frozenAt: number,
  othersMs: number,
): readonly Figure[] {
  const refused = samples.filter(({ ending }) => ending.proxyError === "destination_unavailable");
  const crowded = samples.filter(({ ending }) => ending.proxyError === "connection_limit_reached");
  const late = samples.filter(({ ending }) => ending.code === "PROVIDER_TIMEOUT");
  const openedAt = Math.min(...refused.map(({ dueAt, tookMs }) => dueAt + tookMs));
  const slow = tookAt(refused, 0.99);
  const after = samples.filter(({ dueAt }) => dueAt >= openedAt);
  return [
    known("The stopped one, until the breaker refuses", inSeconds(openedAt - frozenAt)),
    known("The stopped one, calls that timed out", count(late.length)),
    known("The stopped one, refused by its bulkhead", count(crowded.length)),
    known("The stopped one, all its calls", endingsIn(samples)),
    wanted(
      "The stopped one, calls since then that were refused at once",
      `${count(after.filter(({ ending }) => ending.proxyError === "destination_unavailable").length)} of ${count(after.length)}`,
      "all",
      after.length > 0 &&
        after.every(({ ending }) => ending.proxyError === "destination_unavailable"),
    ),
    wanted(
      "The stopped one, how long such a refusal takes, p50 and p99",
      `${ms(tookAt(refused, 0.5))}, ${ms(slow)}`,
      "p99 no longer than the other four's",
      refused.length > 0 && slow <= othersMs,
    ),
  ];
}
