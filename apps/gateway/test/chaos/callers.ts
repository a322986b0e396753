import { setTimeout } from "node:timers/promises";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import type { Deployment } from "./deployment.ts";

/**
 * How a caller uses keys: always the same one; none; the same one in every second request; or a new one as soon as it
 * is answered that nothing was sent.
 */
export type Habit = "one_key" | "no_key" | "sometimes" | "new_key";

/** An application of a customer of its own. */
export interface Application {
  readonly afm: string;
  /** Names it, and is its key where it has one. */
  readonly key: string;
  readonly habit: Habit;
  /** Returns the key of its next request; null for a request without one. */
  nextKey(): string | null;
  /** Its caller has this answer. */
  heard(answer: Answer): void;
}

/** The answer that a caller got. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The headers that are kept with an answer. */
  readonly kept: Readonly<Record<string, string | null>>;
  readonly replayed: boolean;
  /** The code and the outcome of a problem. */
  readonly code: string | null;
  readonly outcome: string | null;
}

/** Names the application of a number. */
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
    heard({ outcome }) {
      if (habit === "new_key" && outcome === "not_sent") keys += 1;
    },
  };
}

/** Submits it once, with a key as its caller uses them; undefined when no answer came. */
export async function submit(
  gateway: Pick<Deployment, "address" | "token">,
  application: Application,
): Promise<Answer | undefined> {
  const answer = await submitWith(gateway, application.afm, application.nextKey());
  if (answer !== undefined) application.heard(answer);
  return answer;
}

/** Submits a customer's application once, with a key or without; undefined when no answer came. */
export async function submitWith(
  { address, token }: Pick<Deployment, "address" | "token">,
  afm: string,
  key: string | null,
): Promise<Answer | undefined> {
  try {
    // A connection of its own, so that the load balancer chooses a gateway for every call.
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

/** The codes of answers after which the same key may be sent again, because the result is still open. */
const openCodes: readonly (string | null)[] = [
  "SUBMISSION_IN_PROGRESS",
  "OUTCOME_UNKNOWN",
  "STORE_UNAVAILABLE",
  "PROVIDER_UNREACHABLE",
  "PROVIDER_UNAVAILABLE",
  "DUPLICATE_APPLICATION",
  "OVERLOADED",
];

/** Whether an answer is the end of its submission: carried out, or refused by the insurer. */
export function isFinal({ code, status }: Answer): boolean {
  return status === 201 || code === "PROVIDER_REJECTED";
}

/** Whether an answer is one that an application of these tests can get. */
export function isExpected(answer: Answer): boolean {
  return isFinal(answer) || openCodes.includes(answer.code);
}

/** How long a caller waits for the answer it wants. */
const PATIENCE_MS = 30_000;

/** Submits it again and again until there is an answer like that; after half a minute, gives what there is. */
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
