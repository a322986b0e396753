import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemTime } from "../../src/time.ts";
import { applicationBody } from "../harness/applications.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { type CredentialSite, oauth2, startCredentialSite } from "./site.ts";

const CALLS_A_SECOND = 200;
const SECONDS = 4;

let site: CredentialSite & { stop(): Promise<void> };
let secretFile = "";
beforeEach(async () => {
  const folder = makeGatewayFolder();
  secretFile = join(folder.path, "secret.txt");
  writeFileSync(secretFile, "first");
  site = await startCredentialSite({
    folder,
    time: systemTime,
    // The insurer, the token server and the callers are in this process, too, which may be held up.
    provider: { bulkhead: { queued: 1_000, queueMs: 10_000 } },
    credentials: (tokens) => oauth2(tokens, { clientSecret: { file: "secret.txt" } }),
  });
});
afterEach(() => site.stop());

/** Every fifth call is a submission. Gives the statuses, each with how often it came. */
async function callSteadily(): Promise<Readonly<Record<number, number>>> {
  const calls: Promise<Response>[] = [];
  const begun = performance.now();
  for (let number = 0; number < CALLS_A_SECOND * SECONDS; number += 1) {
    const dueInMs = (number * 1_000) / CALLS_A_SECOND - (performance.now() - begun);
    if (dueInMs > 1) await setTimeout(dueInMs);
    calls.push(number % 5 === 4 ? site.submit(applicationBody()) : site.search());
  }
  const statuses: Record<number, number> = {};
  for (const { status } of await Promise.all(calls)) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

const calls = CALLS_A_SECOND * SECONDS;
const everyCall = { 200: (calls * 4) / 5, 201: calls / 5 };

/** Answers after so long. */
function after(milliseconds: number, behaviour: Behaviour): Behaviour {
  return (response, arrival) =>
    void setTimeout(milliseconds).then(() => behaviour(response, arrival));
}

/** What happens to the tokens under load, and how many fetches there may be at most. */
const troubles: readonly (readonly [string, number, () => void])[] = [
  ["end after a second", 20, () => endAfterASecond()],
  [
    "end after a second, and take half a second to fetch",
    20,
    () => {
      endAfterASecond();
      site.tokens.grant = after(500, site.tokens.grant);
    },
  ],
  [
    "end after a second, while the server fails for two",
    20,
    () => {
      endAfterASecond();
      const { grant } = site.tokens;
      later(500, () => {
        site.tokens.grant = (response) => void response.destroy();
      });
      later(2_500, () => {
        site.tokens.grant = grant;
      });
    },
  ],
  [
    "are revoked twice",
    3,
    () => {
      const revoked = new Set<string | undefined>();
      site.accepts = ({ headers }) => !revoked.has(headers.authorization?.replace("Bearer ", ""));
      for (const milliseconds of [1_000, 2_500])
        later(milliseconds, () => revoked.add(site.tokens.given.at(-1)));
    },
  ],
  [
    "end after a second, and the secret for them is replaced",
    20,
    () => {
      endAfterASecond();
      const { grant } = site.tokens;
      let secret = "first";
      site.tokens.grant = (response, arrival) => {
        const isKnown = arrival.headers.authorization === `Basic ${btoa(`broker:${secret}`)}`;
        (isKnown ? grant : json(401, { error: "invalid_client" }))(response, arrival);
      };
      later(1_500, () => {
        writeFileSync(secretFile, "second");
        secret = "second";
      });
    },
  ],
];

/** Tokens that the insurer knows for a second. */
function endAfterASecond(): void {
  const endsAt = new Map<string, number>();
  site.tokens.expiresIn = 1;
  const { grant } = site.tokens;
  site.tokens.grant = (response, arrival) => {
    grant(response, arrival);
    endsAt.set(`Bearer ${site.tokens.given.at(-1)}`, performance.now() + 1_000);
  };
  site.accepts = ({ headers }) =>
    performance.now() < (endsAt.get(headers.authorization ?? "") ?? 0);
}

function later(milliseconds: number, work: () => void): void {
  void setTimeout(milliseconds).then(work);
}

it.each(troubles)(
  "no call fails whose tokens %s, at 200 calls a second",
  async (_, most, begin) => {
    begin();
    expect(await callSteadily()).toEqual(everyCall);
    expect(site.tokens.arrivals.length).toBeGreaterThan(1);
    expect(site.tokens.arrivals.length).toBeLessThanOrEqual(most);
  },
);
