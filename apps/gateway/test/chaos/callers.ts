import { setTimeout } from "node:timers/promises";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import type { Deployment } from "./deployment.ts";

/**
 * The keys of a caller: always the same key; none; the same key in every second request; or a new key after an answer
 * `not_sent`.
 */
export type Habit = "one_key" | "no_key" | "sometimes" | "new_key";

/** An application of a customer who has no other application. */
export interface Application {
  readonly afm: string;
  /** The application's name, and its key if it has one. */
  readonly key: string;
  readonly habit: Habit;
  /** Returns the key of the next request; null for a request without a key. */
  nextKey(): string | null;
  /** Tells the application about an answer. */
  noteAnswer(answer: Answer): void;
}

/** The gateway's answer to a caller. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The headers that the gateway stores with an answer. */
  readonly kept: Readonly<Record<string, string | null>>;
  readonly replayed: boolean;
  /** The code of a problem. */
  readonly code: string | null;
  /** The outcome of a problem. */
  readonly outcome: string | null;
}

/** Returns the application with this number. */
export function applicationOf(number: number, habit: Habit = "one_key"): Application {
  const afm = String(100_000_000 + number);
  const key = `chaos-${afm}`;
  let requests = 0;
  let keys = 1;
  return {
    afm,
    key,
    habit,
    nextKey() {
      requests += 1;
      if (habit === "no_key" || (habit === "sometimes" && requests % 2 === 1)) return null;
      return keys === 1 ? key : `${key}-${keys}`;
    },
    noteAnswer({ outcome }) {
      if (habit === "new_key" && outcome === "not_sent") keys += 1;
    },
  };
}

/** Submits the application once, with a key as its caller uses keys. Returns undefined if no answer arrives. */
export async function submit(
  gateway: Pick<Deployment, "address" | "token">,
  application: Application,
): Promise<Answer | undefined> {
  const answer = await submitWith(gateway, application.afm, application.nextKey());
  if (answer !== undefined) application.noteAnswer(answer);
  return answer;
}

/** Submits a customer's application once, with or without a key. Returns undefined if no answer arrives. */
export async function submitWith(
  { address, token }: Pick<Deployment, "address" | "token">,
  afm: string,
  key: string | null,
): Promise<Answer | undefined> {
  try {
    // Each call uses a new connection, so that the load balancer chooses a gateway for it.
    const headers = { connection: "close", ...(key === null ? {} : { "idempotency-key": key }) };
    const response = await submitApplication({ address, token }, applicationBody(afm), headers);
    const text = await response.text();
    const { code = null, outcome = null }: { code?: string | null; outcome?: string | null } =
      JSON.parse(text);
    return {
      status: response.status,
      text,
      kept: {
        "content-type": response.headers.get("content-type"),
        location: response.headers.get("location"),
      },
      replayed: response.headers.get("idempotency-replayed") === "true",
      code,
      outcome,
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** The codes of answers after which the caller may repeat the request with the same key, because the result is open. */
const openCodes: readonly (string | null)[] = [
  "SUBMISSION_IN_PROGRESS",
  "OUTCOME_UNKNOWN",
  "STORE_UNAVAILABLE",
  "PROVIDER_UNREACHABLE",
  "PROVIDER_UNAVAILABLE",
  "DUPLICATE_APPLICATION",
  "OVERLOADED",
];

/** Reports whether an answer is final: the insurer executed or rejected the application. */
export function isFinal({ code, status }: Answer): boolean {
  return status === 201 || code === "PROVIDER_REJECTED";
}

/** Reports whether the applications of these tests may get this answer. */
export function isExpected(answer: Answer): boolean {
  return isFinal(answer) || openCodes.includes(answer.code);
}

/** The time for which a caller waits for the answer, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Submits the application until the answer is as wanted. After half a minute, returns the last answer. */
export async function submitUntil(
  isWanted: (answer: Answer) => boolean,
  gateway: Pick<Deployment, "address" | "token">,
  application: Application,
): Promise<Answer | undefined> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await submit(gateway, application);
    if (answer === undefined || isWanted(answer) || Date.now() > end) return answer;
    await setTimeout(200);
  }
}
