import { expect, it, onTestFinished } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { callOnce, type Kind, kinds, SEARCH_SEGMENT, submitOnce } from "../harness/fault-calls.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Behaviour, startInsurer } from "../harness/insurer.ts";

/** The operator's `failures` rows: each assigns one of the possible meanings to one of the insurer's codes. */
const rows = [
  { is: ["CONFLICT"], code: "CONFLICT", outcome: "rejected" },
  { is: ["MANY"], code: "TOO_MANY", outcome: "rejected" },
  { is: ["DOWN"], code: "PROVIDER_UNAVAILABLE", outcome: "rejected" },
  { is: ["UNREAD"], code: "PROVIDER_UNAVAILABLE", outcome: "not_sent" },
  { is: ["DENIED"], code: "PROVIDER_AUTH_FAILED", outcome: "rejected" },
].map((row) => ({
  status: [401, 403, 409, 422, 429, 499, 500, 503],
  media: "application/json",
  at: "/code",
  why: "The insurer's manual.",
  ...row,
}));

/** Status, media type, code and Retry-After of the insurer's answer. */
type Answer = readonly [status: number, type: "json" | "html", code: string, retryAfter?: string];

/**
 * The caller's result: status, code, outcome, retry and Retry-After; the number of requests to the insurer; and whether
 * the connection to the insurer is used again.
 */
type Expected = string;

const NO_ROW = "502 PROVIDER_BAD_RESPONSE unknown safe";
const UNKNOWN = "504 OUTCOME_UNKNOWN unknown same_key";
/** Retry-After is 3 seconds: the first query about a submission of unknown outcome is sent after 2 seconds. */
const LOST = `${UNKNOWN} 3 · 1 · closed`;
const CONFLICT = "409 CONFLICT rejected never - · 1 · closed";
const DENIED = "502 PROVIDER_AUTH_FAILED rejected never - · 1 · closed";
const many = (seconds: number, requests = 1): Expected =>
  `429 TOO_MANY rejected safe ${seconds} · ${requests} · closed`;
const LATER = "503 PROVIDER_UNAVAILABLE rejected safe";

/** The expected results of each answer, for calls that change nothing and for a submission. */
const table: readonly (readonly [Answer, others: Expected, submission: Expected])[] = [
  // A `failures` row proves a rejection, whatever the status is. The insurer has answered, so that no retry follows.
  [[409, "json", "CONFLICT"], CONFLICT, CONFLICT],
  [[422, "json", "CONFLICT"], CONFLICT, CONFLICT],
  [[500, "json", "CONFLICT"], CONFLICT, CONFLICT],
  [[403, "json", "CONFLICT"], CONFLICT, CONFLICT],
  // A `failures` row with the meaning "later" sets Retry-After: the insurer's value up to 60 seconds, or 5 by default.
  [[409, "json", "MANY", "7"], many(7), many(7)],
  [[429, "json", "MANY"], many(5), many(5)],
  [[429, "json", "MANY", "61"], many(60), many(60)],
  [[429, "json", "MANY", "tomorrow"], many(5), many(5)],
  [[429, "json", "MANY", "Thu, 01 Jan 2026 00:00:00 GMT"], many(0, 2), many(0)],
  [[429, "json", "MANY", "2026-01-01"], many(5), many(5)],
  // After a short Retry-After, the gateway repeats a call that changes nothing, but never a submission.
  [[429, "json", "MANY", "0"], many(0, 2), many(0)],
  [[503, "json", "MANY", "0"], many(0, 2), many(0)],
  // The insurer's Retry-After applies only with 429 and 503.
  [[409, "json", "MANY", "0"], many(0), many(0)],
  // A row with the meaning "not available" counts as a failure of the insurer, so that the gateway repeats the call.
  [[503, "json", "DOWN"], `${LATER} 5 · 2 · closed`, `${LATER} 5 · 1 · closed`],
  [[500, "json", "DOWN"], `${LATER} 5 · 2 · closed`, `${LATER} 5 · 1 · closed`],
  [[409, "json", "DOWN"], `${LATER} 5 · 1 · closed`, `${LATER} 5 · 1 · closed`],
  [[499, "json", "DOWN"], `${LATER} 5 · 1 · closed`, `${LATER} 5 · 1 · closed`],
  [[503, "json", "DOWN", "7"], `${LATER} 7 · 1 · closed`, `${LATER} 7 · 1 · closed`],
  [
    [503, "json", "UNREAD"],
    "503 PROVIDER_UNAVAILABLE not_sent safe 5 · 2 · closed",
    "503 PROVIDER_UNAVAILABLE not_sent safe 5 · 1 · closed",
  ],
  // Only a `failures` row for the insurer's own code proves that a submission with refused credentials was rejected.
  [[401, "json", "DENIED"], DENIED, "502 PROVIDER_AUTH_FAILED rejected safe - · 1 · closed"],
  [[403, "json", "DENIED"], DENIED, "502 PROVIDER_AUTH_FAILED rejected safe - · 1 · closed"],
  [[500, "json", "DENIED"], DENIED, "502 PROVIDER_AUTH_FAILED rejected safe - · 1 · closed"],
  [[401, "json", "?"], DENIED, LOST],
  [[403, "html", "DENIED"], DENIED, LOST],
  [[407, "html", "?"], "502 PROVIDER_AUTH_FAILED not_sent safe - · 1 · closed", LOST],
  // If no `failures` row matches, the gateway repeats a call only after a failure of the insurer.
  [[404, "json", "?"], `${NO_ROW} - · 1 · closed`, LOST],
  [[422, "json", "?"], `${NO_ROW} - · 1 · closed`, LOST],
  [[408, "json", "?"], `${NO_ROW} - · 2 · closed`, LOST],
  [[499, "json", "?"], `${NO_ROW} - · 1 · closed`, LOST],
  [[500, "json", "?"], `${NO_ROW} - · 2 · closed`, LOST],
  [[599, "json", "?"], `${NO_ROW} - · 2 · closed`, LOST],
  [[300, "json", "?"], `${NO_ROW} - · 1 · closed`, LOST],
  [[302, "json", "?"], `${NO_ROW} - · 1 · closed`, LOST],
  // An HTML page matches no `failures` row: the page shows that another server has answered in the insurer's place.
  [[409, "html", "CONFLICT"], `${NO_ROW} - · 2 · closed`, LOST],
  [[404, "html", "?"], `${NO_ROW} - · 2 · closed`, LOST],
  // Even if no `failures` row matches, the insurer's Retry-After applies only with 429 and 503.
  [[429, "json", "?", "7"], `${NO_ROW} 7 · 1 · closed`, LOST],
  [[429, "json", "?", "0"], `${NO_ROW} 0 · 2 · closed`, LOST],
  [[503, "json", "?", "99"], `${NO_ROW} 60 · 1 · closed`, LOST],
  [[409, "json", "?", "0"], `${NO_ROW} - · 1 · closed`, LOST],
  [[500, "json", "?", "99"], `${NO_ROW} - · 2 · closed`, LOST],
];

/** The letter of the provider that the test calls for each kind of endpoint. */
const letters: Readonly<Record<Kind, string>> = {
  lookup: "a",
  search: "d",
  quote: "e",
  document: "c",
  submission: "d",
};

/** A search that uses the same connections to the insurer as the submission. */
const SEARCH = "/provider-d/applications/search?clientAfm=123456789";

/** Returns the results of all answers for one kind of call, with a separate gateway and insurer. */
async function measureAll(kind: Kind): Promise<readonly Expected[]> {
  const insurer = await startInsurer(() => {});
  const provider = {
    ...insurerConfiguration(letters[kind], insurer.baseUrl),
    ...(kind === "search" ? { segment: SEARCH_SEGMENT } : {}),
    retries: { attempts: 2, firstWaitMs: 1, budgetPercent: 100 },
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
    failures: rows,
  };
  const time = holdTime();
  const gateway = await startInProcess({ providers: [provider] }, {}, { time });
  onTestFinished(async () => {
    await gateway.stop();
    await insurer.close();
  });
  const found: Expected[] = [];
  for (const [answer] of table) {
    const sockets: unknown[] = [];
    insurer.behaviour = answering(answer, sockets);
    const key = crypto.randomUUID();
    const {
      answer: given,
      proxyStatus,
      retryAfter,
    } = kind === "submission"
      ? await submitOnce(gateway, applicationBody(), key)
      : await callOnce(gateway, kind);
    const requests = sockets.length;
    expect(proxyStatus, answer.join(" ")).toBe(`received-status=${answer[0]}`);
    insurer.behaviour = answering([409, "json", "CONFLICT"], sockets);
    // After refused credentials, the gateway sends no submission until a read succeeds.
    time.forward(1);
    if (kind === "submission") await gateway.ask(SEARCH);
    else await callOnce(gateway, kind);
    const connection = sockets[requests] === sockets[requests - 1] ? "used again" : "closed";
    found.push(`${given} ${retryAfter ?? "-"} · ${requests} · ${connection}`);
  }
  return found;
}

function answering([status, type, code, retryAfter]: Answer, sockets: unknown[]): Behaviour {
  return (response) => {
    sockets.push(response.socket);
    response.writeHead(status, {
      "content-type": type === "json" ? "application/json" : "text/html",
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    });
    response.end(JSON.stringify({ code }));
  };
}

it.each(kinds)(
  "the gateway turns each error answer of the insurer into the documented problem for a call of the kind %s",
  async (kind) => {
    const found = await measureAll(kind);
    const said = (results: readonly Expected[]): readonly string[] =>
      table.map(([answer], index) => `${answer.join(" ")}: ${results[index]}`);
    const expected = table.map(([, others, submission]) =>
      kind === "submission" ? submission : others,
    );
    expect(said(found)).toEqual(said(expected));
  },
);
