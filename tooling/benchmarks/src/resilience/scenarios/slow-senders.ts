import { setTimeout as wait } from "node:timers/promises";
import { clock } from "../../clock.ts";
import { startLoad } from "../../load/load.ts";
import { dueWithin, endingsIn, goodOf, tookAt } from "../../load/samples.ts";
import { percentile } from "../../percentile.ts";
import { watchUsage } from "../../process-usage.ts";
import type { SlowLife } from "../../slow-senders/plan.ts";
import { startSlowSenders } from "../../slow-senders/slow-senders.ts";
import { type GatewayUnderTest, withGateway } from "../gateway-under-test.ts";
import { CALLER_WAITS_MS } from "../measured-load.ts";
import { type Figure, known, type Scenario, type Section, wanted } from "../scenario.ts";
import { showSeconds } from "../show-seconds.ts";
import { busy, count, seconds as inSeconds, memory, ms } from "../words.ts";

const PER_SECOND = 100;
const CONNECTIONS = 1_000;
const BYTE_EVERY_MS = 3_000;
const SETTLE_MS = 5_000;

/** Connections on which requests never become whole. */
export const slowSenders: Scenario = {
  name: "slow-senders",
  about: "what callers notice of connections that send a byte every few seconds",
  seconds: 60,
  run: async (seconds, progress) => [
    await withGateway({}, (gateway) =>
      run(gateway, "headers", "GET / HTTP/1.1\r\nhost: gateway\r\nx-slow: ", seconds, progress),
    ),
    await withGateway({}, (gateway) =>
      run(gateway, "bodies", openingOfBody(gateway), seconds, progress),
    ),
  ],
};

function openingOfBody(gateway: GatewayUnderTest): string {
  const { headers, method, path } = gateway.call("provider-e");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: gateway\r\n${lines.join("")}content-length: 1000\r\n\r\n`;
}

async function run(
  gateway: GatewayUnderTest,
  what: "headers" | "bodies",
  opening: string,
  seconds: number,
  progress: (text: string) => void,
): Promise<Section> {
  const { calls, origin, pid } = gateway;
  const load = await startLoad(
    { origin, calls, perSecond: PER_SECOND, connections: 200, timeoutMs: CALLER_WAITS_MS },
    showSeconds(progress),
  );
  await wait(SETTLE_MS);
  progress(`slow ${what}`);
  const begunAt = clock();
  const usage = watchUsage(pid);
  const slow = startSlowSenders({
    port: Number(new URL(origin).port),
    connections: CONNECTIONS,
    opening,
    byte: what === "headers" ? "a" : " ",
    everyMs: BYTE_EVERY_MS,
  });
  await wait(seconds * 1_000);
  const lives = await slow.end();
  const used = usage.stop();
  const normal = dueWithin((await load.end()).sent, begunAt, begunAt + seconds * 1_000);
  const late = tookAt(normal, 0.99);
  const errors = normal.length - goodOf(normal).length;
  return {
    title: `1,000 connections whose ${what} never end`,
    method:
      `${count(CONNECTIONS)} connections send a byte of their ${what} every ${BYTE_EVERY_MS / 1_000} s for ${seconds} s, and are opened ` +
      `again when they are closed, beside ${PER_SECOND} ordinary calls a second to insurers that answer after 20 ms.`,
    figures: [
      wanted("Ordinary calls, p99", ms(late), "< 1 s", late < 1_000),
      wanted(
        "Ordinary calls that failed",
        errors === 0 ? `0 of ${count(normal.length)}` : endingsIn(normal),
        "0",
        errors === 0,
      ),
      ...ofTheSlow(lives),
      known("The gateway's memory", memory(used)),
      known("The gateway's CPU", busy(used.cpuPercent)),
    ],
  };
}

function ofTheSlow(lives: readonly SlowLife[]): readonly Figure[] {
  const closed = lives.filter((life) => life.closed).map(({ livedMs }) => livedMs);
  const longest = Math.max(0, ...lives.map(({ livedMs }) => livedMs));
  return [
    known(
      "Slow connections, and how many the gateway closed",
      `${count(lives.length)}, ${count(closed.length)}`,
    ),
    known("How long one lived that was closed, p50", inSeconds(percentile(closed, 0.5))),
    wanted("How long one lived at most", inSeconds(longest), "≤ 30 s", longest <= 30_000),
    known("What those that were closed were answered", answersOf(lives)),
  ];
}

function answersOf(lives: readonly SlowLife[]): string {
  const counts = new Map<string, number>();
  for (const { answer, closed } of lives) {
    const name = answer ?? "nothing";
    if (closed) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return (
    [...counts].map(([name, times]) => `${count(times)} × ${name}`).join(", ") || "none closed"
  );
}
