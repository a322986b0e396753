import cluster from "node:cluster";
import type { CollectedMetrics } from "../observation/metrics.ts";
import type { CountedAnswer } from "../observation/unmatched-answers.ts";
import type { ProviderList } from "../operations/provider-list.ts";

/** What each process of a gateway answers about itself, so that one of them can answer for all. */
export interface OwnAnswers {
  /** Whether it takes requests. */
  ready(): boolean;
  metrics(): Promise<CollectedMetrics>;
  providers(): Promise<ProviderList>;
  /** The refusals of insurers that no row of `failures` matches. */
  answers(): readonly CountedAnswer[];
}

type Answer<Name extends keyof OwnAnswers> = Awaited<ReturnType<OwnAnswers[Name]>>;

/** The processes of one gateway, as one of them reaches them through the supervisor. */
export interface Peers {
  /** Tells this process from the others, and from those before it: each that is started has a higher number. */
  readonly number: number;
  /** What the pages of the reference need for a development token, whichever process answers them. */
  readonly startSecret: string | undefined;
  /** How this process answers the others. */
  answerWith(own: OwnAnswers): void;
  /** Asks every process that serves, this one included; those that do not answer in time are left out. */
  ask<Name extends keyof OwnAnswers>(name: Name): Promise<readonly Answer<Name>[]>;
  /** Resolves when another process serves in place of this one, which is then to end. */
  readonly replaced: Promise<void>;
  /** How long this process takes requests as before when it ends, in milliseconds, whatever the configuration says. */
  noticeMs(): number;
  /**
   * Reports that this process serves.
   * @param greeting - what a person reads once all of them serve
   * @param endsWithinMs - the longest that this process takes to end, in milliseconds
   */
  serving(greeting: string, endsWithinMs: number): void;
  /** Reports that this process begins to end. @param endsWithinMs - how long that takes at most, in milliseconds */
  ending(endsWithinMs: number): void;
}

/** The environment variable with the start's secret, which is removed before anything else is started. */
export const START_SECRET = "GATEWAY_START_SECRET";

/** What a process sends the supervisor. */
export type FromProcess =
  | { readonly type: "serving"; readonly greeting: string; readonly endsWithinMs: number }
  | { readonly type: "ending"; readonly endsWithinMs: number }
  | { readonly type: "ask"; readonly id: number; readonly name: keyof OwnAnswers }
  | { readonly type: "answer"; readonly id: number; readonly answer?: unknown };

/** What the supervisor sends a process. */
export type ToProcess =
  | { readonly type: "question"; readonly id: number; readonly name: keyof OwnAnswers }
  | { readonly type: "answers"; readonly id: number; readonly answers: readonly unknown[] }
  | { readonly type: "replaced" };

/** So long the answers of a process that is replaced end their connections, so that few callers have one when it closes. */
const REPLACED_NOTICE_MS = 5_000;

/** Reaches the other processes of the gateway; for a process that a supervisor has started. */
export function openPeers(): Peers {
  const waiting = new Map<number, (answers: readonly unknown[]) => void>();
  let own: OwnAnswers | null = null;
  let last = 0;
  let isReplaced = false;
  const replaced = Promise.withResolvers<void>();
  const startSecret = process.env[START_SECRET];
  delete process.env[START_SECRET];
  process.on("message", (message: ToProcess) => {
    if (message.type === "answers") {
      waiting.get(message.id)?.(message.answers);
      waiting.delete(message.id);
    } else if (message.type === "replaced") {
      isReplaced = true;
      replaced.resolve();
    } else void answer(own, message);
  });
  return {
    number: cluster.worker?.id ?? 0,
    startSecret,
    answerWith(answers) {
      own = answers;
    },
    ask<Name extends keyof OwnAnswers>(name: Name): Promise<readonly Answer<Name>[]> {
      last += 1;
      const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
      waiting.set(last, resolve);
      send({ type: "ask", id: last, name });
      // Each is what a process of this program has answered to the question of this name.
      return promise as Promise<readonly Answer<Name>[]>;
    },
    replaced: replaced.promise,
    noticeMs: () => (isReplaced ? REPLACED_NOTICE_MS : 0),
    serving: (greeting, endsWithinMs) => send({ type: "serving", greeting, endsWithinMs }),
    ending: (endsWithinMs) => send({ type: "ending", endsWithinMs }),
  };
}

async function answer(
  own: OwnAnswers | null,
  { id, name }: Extract<ToProcess, { type: "question" }>,
): Promise<void> {
  try {
    send({ type: "answer", id, answer: await own?.[name]() });
  } catch {
    // Its own log says why; the process that asks does not wait for it.
    send({ type: "answer", id });
  }
}

function send(message: FromProcess): void {
  // Without a supervisor this process ends, too.
  process.send?.(message, () => {});
}
