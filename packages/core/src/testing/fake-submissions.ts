import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { matchValues, sameContentOf, withNormalForms } from "../contract/match.ts";
import { nfc } from "../contract/nfc.ts";
import { reconciliationValues } from "../contract/reconciliation.ts";
import { refusalOfFailure } from "../rules/insurer-outcome.ts";
import { openRefusal, type Repetition, runningRefusal } from "../rules/open-answers.ts";
import { FIRST_QUERY_AFTER_MS } from "../rules/query-times.ts";
import { Refusal } from "../rules/refusal.ts";
import type { IdempotencyKey } from "../rules/sent-key.ts";
import {
  problemAnswer,
  replayOf,
  type StoredAnswer,
  successAnswer,
} from "../rules/stored-answer.ts";
import { freesKey, keyReused, noSubmission, withAddress } from "../rules/submission-refusals.ts";
import { type StatusAnswer, statusOf, submissionAddress } from "../rules/submission-standing.ts";
import type { SearchedFields } from "../rules/verdict.ts";
import { TransportError } from "../transport/transport.ts";
import { reconcile } from "./fake-reconciliation.ts";
import { type PassedAnswer, passedAnswer, withinLimit } from "./insurer-answer.ts";
import { type FakeRoute, isOpen, type Kept, settle } from "./kept-submission.ts";
import type { SimulatedAnswer } from "./simulated-insurer.ts";

/** A valid submission. */
export interface FakeSubmission {
  readonly route: FakeRoute;
  readonly input: CheckedInput;
  readonly key: IdempotencyKey | null;
  /** How long its caller waits, in milliseconds; null for as long as it takes. */
  readonly waitMs: number | null;
  readonly scenario: string | undefined;
  readonly requestId: string;
  /** Whether the insurer's answer gets lost. */
  readonly isAnswerLost: boolean;
  /** Waits until an instant; throws once its caller has gone. */
  readonly waitUntil: (instant: number) => Promise<void>;
}

/** The submissions of a fake gateway, all of one caller. */
export interface FakeSubmissions {
  /** @throws Refusal unless the insurer carried it out */
  submit(submission: FakeSubmission): Promise<StoredAnswer>;
  /** @throws Refusal if there is no such submission */
  status(id: string): StatusAnswer;
  /** @throws Refusal if the key has no submission */
  statusByKey(route: FakeRoute, key: string): StatusAnswer;
  /**
   * Returns the answer of the submission that a key belongs to; null if there is none.
   * @throws Refusal while it is open
   */
  earlier(route: FakeRoute, key: string): StoredAnswer | null;
}

/** The gateway's default time limits of calls to insurers, in milliseconds. */
export const INSURER_LIMIT_MS = { submission: 45_000, other: 15_000 } as const;

/** The gateway's default time in which an equal request is the same submission. */
const SAME_CONTENT_MS = 24 * 3_600_000;

/** Creates the submissions of a fake gateway. Due work is done with the next call. */
export function createFakeSubmissions(now: () => number): FakeSubmissions {
  let kept: readonly Kept[] = [];

  /** Does everything that is due, in the order of its time. */
  function catchUp(): void {
    for (;;) {
      const [due] = kept
        .flatMap((record) => {
          const at = dueAt(record);
          return at === null || at > now() ? [] : [{ record, at }];
        })
        .toSorted((one, other) => one.at - other.at);
      if (due === undefined) return;
      const { at, record } = due;
      if (record.state === "in_flight") {
        conclude(record);
        // The insurer did not accept the submission: its key is free.
        if (record.own instanceof Refusal && freesKey(record.own))
          kept = kept.filter((one) => one !== record);
      } else reconcile(record, kept, at);
    }
  }

  function claim(
    { key, route }: FakeSubmission,
    content: string,
  ): { readonly earlier: Kept; readonly asker: Repetition } | null {
    const known = key && kept.find((one) => one.route === route && one.keys.has(key.key));
    if (known) return { earlier: known, asker: "same_key" };
    const rule = sameContentOf(route.endpoint);
    const since = rule === "once" ? now() - SAME_CONTENT_MS : Number.POSITIVE_INFINITY;
    const [earlier] = kept
      .filter((one) => rule !== "none" && one.content === content)
      .filter((one) => isOpen(one) || (isValid(one) && one.updatedAt > since))
      .toReversed()
      .toSorted((one, other) => rankOf(one) - rankOf(other));
    if (earlier === undefined) return null;
    if (key === null) return { earlier, asker: "same_content" };
    if (key.isGenerated || !earlier.hasChosenKey) {
      earlier.keys.add(key.key);
      earlier.hasChosenKey ||= !key.isGenerated;
      return { earlier, asker: "same_key" };
    }
    return isOpen(earlier) ? { earlier, asker: "other_key" } : null;
  }

  function answerOf(record: Kept, asker: Repetition): StoredAnswer {
    if (record.stored !== null) return replayOf(record.stored);
    const { endpoint } = record.route;
    const facts = { endpoint, href: hrefOf(record), running: now() };
    throw openRefusal(standingOf(record), asker, facts);
  }

  function begin(submission: FakeSubmission, content: string): Kept {
    const { input, isAnswerLost, key, requestId, route, scenario } = submission;
    const { endpoint, insurer, name } = route;
    const id = crypto.randomUUID();
    const receivedAt = now();
    const call = { name, input, scenario, reference: id };
    const ending = endingOf(endpoint, input, insurer.ask(call, receivedAt), isAnswerLost);
    const record: Kept = {
      id,
      route,
      requestId,
      provider: endpoint.provider,
      endpoint: name,
      asker: key === null ? "same_content" : "same_key",
      endsAt: receivedAt + ending.afterMs,
      ended: ending.ended,
      content,
      fields: fieldsOf(endpoint, input),
      keys: new Set(key === null ? [] : [key.key]),
      hasChosenKey: key?.isGenerated === false,
      state: "in_flight",
      receivedAt,
      updatedAt: receivedAt,
      leaseUntil: Number.POSITIVE_INFINITY,
      nextQueryAt: null,
      insurerId: null,
      unknownAt: null,
      absentAt: null,
      closed: false,
      stored: null,
      own: null,
    };
    kept = [...kept, record];
    return record;
  }

  function found(record: Kept | undefined): StatusAnswer {
    if (record === undefined) throw noSubmission();
    return statusOf(record, { at: now(), running: now() }, record.stored);
  }

  return {
    async submit(submission) {
      catchUp();
      const content = contentOf(submission);
      const claimed = claim(submission, content);
      if (claimed !== null) {
        if (claimed.earlier.content !== content) throw keyReused();
        return answerOf(claimed.earlier, claimed.asker);
      }
      const record = begin(submission, content);
      const { endpoint } = submission.route;
      const leavesAt = record.receivedAt + (submission.waitMs ?? Number.POSITIVE_INFINITY);
      await submission.waitUntil(Math.min(record.endsAt, leavesAt));
      catchUp();
      if (record.own === null || leavesAt <= record.endsAt)
        throw runningRefusal(record.asker, { endpoint, href: hrefOf(record), running: now() });
      if (record.own instanceof Refusal) throw record.own;
      return record.own;
    },
    status(id) {
      catchUp();
      return found(kept.find((record) => record.id === id));
    },
    statusByKey(route, key) {
      catchUp();
      return found(kept.find((record) => record.route === route && record.keys.has(key)));
    },
    earlier(route, key) {
      catchUp();
      const record = kept.find((one) => one.route === route && one.keys.has(key));
      return record === undefined ? null : answerOf(record, "same_key");
    },
  };
}

function isValid({ closed, state }: Kept): boolean {
  return state === "succeeded" && !closed;
}

/** Ranks equal submissions: an open one first, then one without a chosen key. */
function rankOf(record: Kept): number {
  if (isOpen(record)) return 0;
  return record.hasChosenKey ? 2 : 1;
}

function hrefOf({ id }: Kept): string {
  return submissionAddress("", id);
}

/** When something happens to a submission by itself; null if nothing does. */
function dueAt({ endsAt, nextQueryAt: queryAt, state }: Kept): number | null {
  if (state === "in_flight") return endsAt;
  return state === "outcome_unknown" ? queryAt : null;
}

/** Two requests with the same text are the same submission. */
function contentOf({ input, route, scenario }: FakeSubmission): string {
  const { body, headers, params, query } = input;
  const normal = withNormalForms(route.endpoint, body);
  const parts = [
    route.endpoint.provider,
    route.name,
    scenario ?? null,
    params,
    query,
    headers,
    normal,
  ];
  return nfc(
    JSON.stringify(parts, (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
          )
        : value,
    ),
  );
}

function fieldsOf(endpoint: Endpoint, input: CheckedInput): SearchedFields {
  const same = matchValues(endpoint, input.body);
  return endpoint.reconcile === undefined
    ? { same }
    : { same, query: reconciliationValues(endpoint, input) };
}

/** How the exchange with the insurer ends, and after how many milliseconds. */
function endingOf(
  endpoint: Endpoint,
  input: CheckedInput,
  answer: SimulatedAnswer,
  isAnswerLost: boolean,
): { readonly ended: PassedAnswer | Refusal; readonly afterMs: number } {
  if (isAnswerLost) {
    const reset = new TransportError("wait", "failed", "ECONNRESET");
    return { ended: refusalOfFailure(endpoint, reset), afterMs: 0 };
  }
  const { afterMs, answer: inTime } = withinLimit(answer, INSURER_LIMIT_MS.submission);
  try {
    return { ended: passedAnswer(endpoint, input, inTime), afterMs };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ended: error, afterMs };
  }
}

/** Writes how a submission ended, or that its outcome is unknown. */
function conclude(record: Kept): void {
  const { asker, ended, endsAt, requestId, route } = record;
  const { endpoint } = route;
  const href = hrefOf(record);
  record.updatedAt = endsAt;
  if (!(ended instanceof Refusal)) {
    const { content, headers, status } = ended;
    const answer = successAnswer({ status, content: String(content) }, headers, href);
    settle(record, "succeeded", answer, ended);
    record.own = answer;
    return;
  }
  const { outcome } = ended.facts;
  if (outcome === "unknown") {
    record.state = "outcome_unknown";
    record.unknownAt = endsAt;
    const queryAfterMs = ended.details.mismatched === undefined ? FIRST_QUERY_AFTER_MS : 0;
    record.nextQueryAt = endsAt + (endpoint.reconcile === undefined ? 0 : queryAfterMs);
    record.own = openRefusal(
      { state: "outcome_unknown", nextQueryAt: record.nextQueryAt },
      asker,
      { endpoint, href, running: endsAt },
      ended,
    );
    return;
  }
  record.own = outcome === "executed" ? withAddress(ended, href) : ended;
  if (freesKey(ended)) return;
  const { insurerId = null } = ended.details;
  const answer = problemAnswer(record.own, { provider: endpoint.provider, requestId });
  settle(record, outcome === "executed" ? "succeeded" : "failed", answer, { insurerId });
}

function standingOf({ nextQueryAt: queryAt, state }: Kept): Parameters<typeof openRefusal>[0] {
  if (state === "succeeded" || state === "failed") throw new TypeError("It has ended");
  return { state, nextQueryAt: queryAt };
}
