import { setTimeout } from "node:timers/promises";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import type { Deployment } from "./deployment.ts";

/**
 * A caller's use of keys: always one key; no key; one key in every second request; or one key until an answer reports
 * that nothing was sent, and then a new key.
 */
export type Habit = "one_key" | "no_key" | "sometimes" | "new_key";

/** An application. Each application belongs to a different customer. */
export interface Application {
  readonly afm: string;
  /** The name of the application, and the first key of its requests. */
  readonly key: string;
  readonly habit: Habit;
  /** Returns the key of the next request; null for a request without a key. */
  nextKey(): string | null;
  /** Chooses the key of the next request from an answer. */
  noteAnswer(answer: Answer): void;
}

/** An answer to a submission, as a caller received it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The headers that the gateway must repeat with a stored answer. */
  readonly kept: Readonly<Record<string, string | null>>;
  readonly replayed: boolean;
  /** The code of a problem; null for a success. */
  readonly code: string | null;
  /** The outcome of a problem; null for a success. */
  readonly outcome: string | null;
}

/** Returns the application with a number. */
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

/** Submits an application once, with a key according to the caller's habit. Returns undefined if no answer arrives. */
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
    // Each call uses a new connection, so that the load balancer chooses a gateway for each call.
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

/** Problem codes that are not a final result, so that the caller may repeat the submission. */
const openCodes: readonly (string | null)[] = [
  "SUBMISSION_IN_PROGRESS",
  "OUTCOME_UNKNOWN",
  "STORE_UNAVAILABLE",
  "PROVIDER_UNREACHABLE",
  "PROVIDER_UNAVAILABLE",
  "DUPLICATE_APPLICATION",
  "OVERLOADED",
];

/** Reports whether an answer is the final result of a submission: executed, or refused by the insurer. */
export function isFinal({ code, status }: Answer): boolean {
  return status === 201 || code === "PROVIDER_REJECTED";
}

/** Reports whether an answer is possible for an application of these tests. */
export function isExpected(answer: Answer): boolean {
  return isFinal(answer) || openCodes.includes(answer.code);
}

/** Longest time that a caller repeats a submission, in milliseconds. */
const MAX_REPEATING_MS = 30_000;

/** Submits an application until `isWanted` accepts an answer. After half a minute, returns the last answer. */
export async function submitUntil(
  isWanted: (answer: Answer) => boolean,
  gateway: Pick<Deployment, "address" | "token">,
  application: Application,
): Promise<Answer | undefined> {
  const end = Date.now() + MAX_REPEATING_MS;
  for (;;) {
    const answer = await submit(gateway, application);
    if (answer === undefined || isWanted(answer) || Date.now() > end) return answer;
    await setTimeout(200);
  }
}
