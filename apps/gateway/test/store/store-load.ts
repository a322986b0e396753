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

/** One submission of a load: what it said in answer to every attempt with its key. */
export interface LoadedSubmission extends Sendable {
  readonly submitter: number;
  readonly replies: readonly Reply[];
  /** How many requests with its content the insurer had got each time that it was refused as not sent, as long as no attempt was of unknown outcome. */
  readonly arrivedWhenRefused: readonly number[];
  /** Its 201; null while there is none. */
  readonly answer: Reply | null;
}

/** Submitters that send one submission after the other, each until it is answered with 201. */
export interface Load {
  readonly submissions: readonly LoadedSubmission[];
  /** The answers to the lookups beside them. */
  readonly lookups: readonly string[];
  /** Begins no submission any more; resolves when the last has been answered, and throws what nobody may be told. */
  finish(): Promise<void>;
  /** Leaves everything as it is. */
  abandon(): Promise<void>;
}

/** How many submit at the same time. */
export const SUBMITTERS = 20;
/** How long a submitter waits before it tries again; it has no reason to wait longer for a test's server. */
const RETRY_AFTER_MS = 200;
/** How long between two submissions, so that a test has some hundred of them and not thousands. */
const PAUSE_MS = 200;
const refusals: readonly string[] = [STORE_UNAVAILABLE, STORE_UNREADABLE];
const toTryAgain: readonly string[] = [...refusals, OUTCOME_UNKNOWN, IN_PROGRESS];

/**
 * Starts them.
 * @param arrived - how many requests with a content the insurer has got
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
  // Said by `finish`; until then nobody listens.
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
