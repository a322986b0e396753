import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { applicationBody } from "../../harness/applications.ts";
import { type HeldTime, holdTime } from "../../harness/held-time.ts";
import { type Behaviour, json } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { type CredentialSite, oauth2, startCredentialSite } from "./credential-site.ts";

const CALLS_A_SECOND = 200;
const SECONDS = 7;
const INTERVAL_MS = 1_000 / CALLS_A_SECOND;
const TICK_EVERY_CALLS = 50;

/**
 * Clock by which tokens end. The clock advances with each call, not with the real time: on a slow machine the calls
 * come more slowly, because the insurer, the token server, the gateway and the callers share this process.
 */
let clock: HeldTime;
let scheduled: { readonly at: number; readonly work: () => void }[] = [];

let site: CredentialSite & { stop(): Promise<void> };
let secretFile = "";
beforeEach(async () => {
  const folder = makeGatewayFolder();
  secretFile = join(folder.path, "secret.txt");
  writeFileSync(secretFile, "first");
  clock = holdTime();
  scheduled = [];
  site = await startCredentialSite({
    folder,
    time: clock,
    // Time limits use the real clock. They are long because this test takes longer on a slow machine.
    provider: {
      bulkhead: { queued: 1_000, queueMs: 60_000 },
      timeouts: { totalMs: 120_000, submissionMs: 120_000 },
    },
    credentials: (tokens) => oauth2(tokens, { clientSecret: { file: "secret.txt" } }),
  });
});
afterEach(() => site.stop());

/** Sends calls, every fifth a submission; counts the results by status, and problems by code, reason and detail. */
async function callSteadily(): Promise<Readonly<Record<string, number>>> {
  const calls: Promise<Response>[] = [];
  let dueAt = performance.now();
  for (let number = 0; number < CALLS_A_SECOND * SECONDS; number += 1) {
    dueAt = await paced(dueAt);
    forward(INTERVAL_MS);
    // The clock also runs the gateway's scheduled work, such as the reading of changed secrets.
    if (number % TICK_EVERY_CALLS === 0) await clock.tick();
    calls.push(number % 5 === 4 ? site.submit(applicationBody()) : site.search());
  }
  forward(Number.POSITIVE_INFINITY);
  const results: Record<string, number> = {};
  for (const response of await Promise.all(calls)) {
    const result = await resultOf(response);
    results[result] = (results[result] ?? 0) + 1;
  }
  return results;
}

/**
 * Waits until the next call is due, and for at least one turn of the event loop. Returns the time when the following
 * call is due; a delay also moves all later calls.
 */
async function paced(dueAt: number): Promise<number> {
  const dueInMs = dueAt - performance.now();
  await (dueInMs > 1 ? setTimeout(dueInMs) : setImmediate());
  return Math.max(dueAt, performance.now() - INTERVAL_MS) + INTERVAL_MS;
}

/** Moves the clock, and runs the work that is due. */
function forward(milliseconds: number): void {
  if (Number.isFinite(milliseconds)) clock.forward(milliseconds);
  const until = Number.isFinite(milliseconds) ? clock.elapsed() : milliseconds;
  const due = scheduled.filter(({ at }) => at <= until);
  scheduled = scheduled.filter(({ at }) => at > until);
  for (const { work } of due) work();
}

/** Runs `work` as soon as the clock has advanced by this number of milliseconds. */
function later(milliseconds: number, work: () => void): void {
  scheduled.push({ at: clock.elapsed() + milliseconds, work });
}

/** Returns an answer's status; for a problem also the code, the reason in the log, and the detail. */
async function resultOf(response: Response): Promise<string> {
  if (response.ok) return String(response.status);
  const { code, detail, requestId } = await problemIn(response);
  const line = site.gateway.log.find((text) => text.includes(requestId)) ?? "{}";
  const { reason = "without a reason" } = loggedReason.parse(JSON.parse(line));
  return `${response.status} ${code} (${reason}): ${detail}`;
}

const loggedReason = z.object({ reason: z.string().optional() });

const calls = CALLS_A_SECOND * SECONDS;
const everyCall = { 200: (calls * 4) / 5, 201: calls / 5 };

/** Delays an answer by a time in milliseconds. */
function after(milliseconds: number, behaviour: Behaviour): Behaviour {
  return (response, arrival) => later(milliseconds, () => behaviour(response, arrival));
}

/**
 * Troubles with tokens under load: the title, the maximum number of token fetches, and a function that begins the
 * trouble.
 */
const troubles: readonly (readonly [string, number, () => void])[] = [
  ["tokens end after a second", 20, () => endAfterASecond()],
  [
    "tokens end after a second and take half a second to fetch",
    20,
    () => {
      endAfterASecond();
      site.tokens.grant = after(500, site.tokens.grant);
    },
  ],
  [
    "tokens end after a second while the token server fails five times",
    20,
    () => {
      endAfterASecond();
      const { grant } = site.tokens;
      let failures = 5;
      later(500, () => {
        site.tokens.grant = (response) => {
          failures -= 1;
          if (failures === 0) site.tokens.grant = grant;
          response.destroy();
        };
      });
    },
  ],
  [
    "the insurer revokes the token twice",
    3,
    () => {
      const revoked = new Set<string | undefined>();
      site.accepts = ({ headers }) => !revoked.has(headers.authorization?.replace("Bearer ", ""));
      for (const milliseconds of [1_000, 2_500])
        later(milliseconds, () => revoked.add(site.tokens.given.at(-1)));
    },
  ],
  [
    "tokens end after a second, and the client's secret is replaced",
    20,
    () => {
      endAfterASecond();
      const { grant } = site.tokens;
      let known = ["first"];
      site.tokens.grant = (response, arrival) => {
        const isKnown = known.some(
          (secret) => arrival.headers.authorization === `Basic ${btoa(`broker:${secret}`)}`,
        );
        (isKnown ? grant : json(401, { error: "invalid_client" }))(response, arrival);
      };
      // The token server accepts the old and the new secret until the reload is over (docs/upgrading.md, "Reloading").
      later(500, () => {
        writeFileSync(secretFile, "second");
        known = ["first", "second"];
        void site.gateway.reload();
      });
      later(5_500, () => {
        known = ["second"];
      });
    },
  ],
];

/** Makes the insurer accept each token for one second. */
function endAfterASecond(): void {
  const endsAt = new Map<string, number>();
  site.tokens.expiresIn = 1;
  const { grant } = site.tokens;
  site.tokens.grant = (response, arrival) => {
    grant(response, arrival);
    endsAt.set(`Bearer ${site.tokens.given.at(-1)}`, clock.elapsed() + 1_000);
  };
  site.accepts = ({ headers }) => clock.elapsed() < (endsAt.get(headers.authorization ?? "") ?? 0);
}

it.each(troubles)(
  "no call fails at 200 calls a second while tokens end early: %s",
  async (_, most, begin) => {
    begin();
    expect(await callSteadily()).toEqual(everyCall);
    expect(site.tokens.arrivals.length).toBeGreaterThan(1);
    expect(site.tokens.arrivals.length).toBeLessThanOrEqual(most);
  },
);
