import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { matchValues, nfc, sameContentOf, withNormalForms } from "../contract/match.ts";
import { reconciliationValues } from "../contract/reconciliation.ts";
import { openRefusal, type Repetition, runningRefusal } from "../rules/open-answers.ts";
import { Refusal } from "../rules/refusal.ts";
import { replayOf, type StoredAnswer } from "../rules/stored-answer.ts";
import type { IdempotencyKey } from "../rules/submission-headers.ts";
import { freesKey, keyReused, noSubmission } from "../rules/submission-refusals.ts";
import { type StatusAnswer, statusOf } from "../rules/submission-standing.ts";
import type { SearchedFields } from "../rules/verdict.ts";
import { exchangeEndOf, storeExchangeEnd } from "./exchange-end.ts";
import { reconcile } from "./fake-reconciliation.ts";
import {
  type FakeRoute,
  type FakeStoredSubmission,
  hrefOf,
  isOpenSubmission,
} from "./kept-submission.ts";

/** A valid request of a submission. */
export interface FakeSubmission {
  readonly route: FakeRoute;
  readonly input: CheckedInput;
  readonly key: IdempotencyKey | null;
  /** Longest wait of the caller, in milliseconds; null without a limit. */
  readonly waitMs: number | null;
  readonly scenario: string | undefined;
  readonly requestId: string;
  /** True if the insurer's answer is lost. */
  readonly isAnswerLost: boolean;
  /** Waits until an instant. Throws if the caller disconnects before. */
  readonly waitUntil: (instant: number) => Promise<void>;
}

/** Submissions of a fake gateway, which has only one caller. */
export interface FakeSubmissions {
  /** @throws Refusal unless the insurer carried out the submission */
  submit(submission: FakeSubmission): Promise<StoredAnswer>;
  /** @throws Refusal if the submission does not exist */
  status(id: string): StatusAnswer;
  /** @throws Refusal if no submission has the key */
  statusByKey(route: FakeRoute, key: string): StatusAnswer;
  /**
   * Returns the answer of the submission with a key; null if no submission has the key.
   * @throws Refusal while the submission is open
   */
  earlier(route: FakeRoute, key: string): StoredAnswer | null;
}

/** Default time in which the gateway treats an equal request as the same submission, in milliseconds. */
const SAME_CONTENT_PERIOD_MS = 24 * 3_600_000;

/** Creates the store of a fake gateway's submissions. Work that is due runs at the start of the next call. */
export function createFakeSubmissions(now: () => number): FakeSubmissions {
  let kept: readonly FakeStoredSubmission[] = [];

  /** Does all due work, in the order of its due times. */
  function catchUp(): void {
    for (;;) {
      const [due] = kept
        .flatMap((record) => {
          const at = nextChangeAt(record);
          return at === null || at > now() ? [] : [{ record, at }];
        })
        .toSorted((one, other) => one.at - other.at);
      if (due === undefined) return;
      const { at, record } = due;
      if (record.state === "in_flight") {
        storeExchangeEnd(record);
        // The insurer did not accept the submission, so its key can be used again.
        if (record.own instanceof Refusal && freesKey(record.own))
          kept = kept.filter((one) => one !== record);
      } else reconcile(record, kept, at);
    }
  }

  function claim(
    { key, route }: FakeSubmission,
    content: string,
  ): { readonly earlier: FakeStoredSubmission; readonly asker: Repetition } | null {
    const known = key && kept.find((one) => one.route === route && one.keys.has(key.key));
    if (known) return { earlier: known, asker: "same_key" };
    const rule = sameContentOf(route.endpoint);
    const since = rule === "once" ? now() - SAME_CONTENT_PERIOD_MS : Number.POSITIVE_INFINITY;
    const [earlier] = kept
      .filter((one) => rule !== "none" && one.content === content)
      .filter((one) => isOpenSubmission(one) || (isInForce(one) && one.updatedAt > since))
      .toReversed()
      .toSorted((one, other) => rankOf(one) - rankOf(other));
    if (earlier === undefined) return null;
    if (key === null) return { earlier, asker: "same_content" };
    if (key.isGenerated || !earlier.hasChosenKey) {
      earlier.keys.add(key.key);
      earlier.hasChosenKey ||= !key.isGenerated;
      return { earlier, asker: "same_key" };
    }
    return isOpenSubmission(earlier) ? { earlier, asker: "other_key" } : null;
  }

  function answerOf(record: FakeStoredSubmission, asker: Repetition): StoredAnswer {
    if (record.stored !== null) return replayOf(record.stored);
    const { endpoint } = record.route;
    const facts = { endpoint, href: hrefOf(record), running: now() };
    throw openRefusal(standingOf(record), asker, facts);
  }

  function begin(submission: FakeSubmission, content: string): FakeStoredSubmission {
    const { input, isAnswerLost, key, requestId, route, scenario } = submission;
    const { endpoint, insurer, name } = route;
    const id = crypto.randomUUID();
    const receivedAt = now();
    const call = { name, input, scenario, reference: id };
    const ending = exchangeEndOf(endpoint, input, insurer.ask(call, receivedAt), isAnswerLost);
    const record: FakeStoredSubmission = {
      id,
      route,
      requestId,
      provider: endpoint.provider,
      endpoint: name,
      asker: key === null ? "same_content" : "same_key",
      endsAt: receivedAt + ending.afterMs,
      ended: ending.ended,
      content,
      fields: searchedFieldsOf(endpoint, input),
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

  function found(record: FakeStoredSubmission | undefined): StatusAnswer {
    if (record === undefined) throw noSubmission();
    return statusOf(record, { at: now(), running: now() }, record.stored);
  }

  return {
    async submit(submission) {
      catchUp();
      const content = contentTextOf(submission);
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

/** Reports whether a submission succeeded and has not ended at the insurer since. */
function isInForce({ closed, state }: FakeStoredSubmission): boolean {
  return state === "succeeded" && !closed;
}

/** Returns the rank of an equal submission: first an open submission, then a submission without a chosen key. */
function rankOf(record: FakeStoredSubmission): number {
  if (isOpenSubmission(record)) return 0;
  return record.hasChosenKey ? 2 : 1;
}

/** Returns the time at which a submission changes without a further request; null for a concluded submission. */
function nextChangeAt({ endsAt, nextQueryAt, state }: FakeStoredSubmission): number | null {
  if (state === "in_flight") return endsAt;
  return state === "outcome_unknown" ? nextQueryAt : null;
}

/** Returns the content of a request as a text. Two requests with the same text are the same submission. */
function contentTextOf({ input, route, scenario }: FakeSubmission): string {
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

/** Returns the fields by which a submission is searched in the insurer's list. */
function searchedFieldsOf(endpoint: Endpoint, input: CheckedInput): SearchedFields {
  const same = matchValues(endpoint, input.body);
  return endpoint.reconcile === undefined
    ? { same }
    : { same, query: reconciliationValues(endpoint, input) };
}

/** Returns the state and the time of the next query of an open submission. Throws if it is concluded. */
function standingOf({
  nextQueryAt,
  state,
}: FakeStoredSubmission): Parameters<typeof openRefusal>[0] {
  if (state === "succeeded" || state === "failed")
    throw new TypeError("The submission must be open");
  return { state, nextQueryAt };
}
