import { setTimeout } from "node:timers/promises";
import {
  type CalledGateway,
  IN_PROGRESS,
  lookUp,
  newSendable,
  OUTCOME_UNKNOWN,
  type Reply,
  type Sendable,
  STORE_UNAVAILABLE,
  STORE_UNREADABLE,
  send,
} from "../harness/store-calls.ts";

/** One submission of a load, with the replies to all attempts with its key. */
export interface LoadedSubmission extends Sendable {
  readonly submitter: number;
  readonly replies: readonly Reply[];
  /**
   * For each refusal before an unknown outcome: how many requests with this content the insurer had received by then.
   */
  readonly arrivedWhenRefused: readonly number[];
  /** The reply with the status 201; null before this reply. */
  readonly answer: Reply | null;
}

/** Submitters that repeat each submission until the answer has the status 201, and then send the next one. */
export interface Load {
  readonly submissions: readonly LoadedSubmission[];
  /** Answers to the lookups that are made while the submitters send. */
  readonly lookups: readonly string[];
  /** Begins no further submission, waits for the last answers, and throws if an answer was not allowed. */
  finish(): Promise<void>;
  /** Stops all submitters without waiting for their answers. */
  abandon(): Promise<void>;
}

/** Number of submitters that send at the same time. */
export const SUBMITTERS = 20;
/** Time before a submitter repeats a request, in milliseconds: short, because the server has no other callers. */
const RETRY_AFTER_MS = 200;
/** Time between two submissions, in milliseconds, so that a test has hundreds of submissions, and not thousands. */
const PAUSE_MS = 200;
const refusals: readonly string[] = [STORE_UNAVAILABLE, STORE_UNREADABLE];
const toTryAgain: readonly string[] = [...refusals, OUTCOME_UNKNOWN, IN_PROGRESS];

/**
 * Starts submitters that send to a gateway.
 * @param arrived - returns how many requests with this content the insurer has received
 */
export function startLoad(gateway: CalledGateway, arrived: (sendable: Sendable) => number): Load {
  const submissions: LoadedSubmission[] = [];
  const lookups: string[] = [];
  const finishing = new AbortController();
  const abandoned = new AbortController();

  async function submitOn(submitter: number): Promise<void> {
    while (!finishing.signal.aborted) {
      const replies: Reply[] = [];
      const arrivedWhenRefused: number[] = [];
      const submission = { ...newSendable(), submitter, replies, arrivedWhenRefused, answer: null };
      const index = submissions.push(submission) - 1;
      const answer = await answerTo(submission, (reply) => {
        replies.push(reply);
        const sent = replies.some(({ says }) => says === OUTCOME_UNKNOWN);
        if (refusals.includes(reply.says) && !sent) arrivedWhenRefused.push(arrived(submission));
      });
      submissions[index] = { ...submission, answer };
      await setTimeout(PAUSE_MS);
    }
  }

  async function answerTo(
    submission: Sendable,
    note: (reply: Reply) => void,
  ): Promise<Reply | null> {
    while (!abandoned.signal.aborted) {
      const reply = await send(gateway, submission);
      note(reply);
      if (reply.status === 201) return reply;
      if (!toTryAgain.includes(reply.says)) throw new Error(`A submission got ${reply.says}`);
      await setTimeout(RETRY_AFTER_MS);
    }
    return null;
  }

  async function lookUpOn(): Promise<void> {
    while (!finishing.signal.aborted) {
      lookups.push((await lookUp(gateway)).says);
      await setTimeout(RETRY_AFTER_MS / 4);
    }
  }

  const working = Promise.all([
    lookUpOn(),
    ...Array.from({ length: SUBMITTERS }, (_, submitter) => submitOn(submitter)),
  ]);
  // An error is ignored until `finish` is called, because `finish` reports the error.
  working.catch(() => {});
  return {
    submissions,
    lookups,
    async finish() {
      finishing.abort();
      await working;
    },
    async abandon() {
      finishing.abort();
      abandoned.abort();
      await working.catch(() => {});
    },
  };
}
