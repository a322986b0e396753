import { setTimeout } from "node:timers/promises";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import type { Deployment } from "./deployment.ts";

/** An application with the key and the customer that are its own. */
export interface Application {
  readonly afm: string;
  readonly key: string;
}

/** What a caller was told. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The headers that are kept with an answer. */
  readonly kept: Readonly<Record<string, string | null>>;
  readonly replayed: boolean;
  /** The code of a problem. */
  readonly code: string | null;
}

/** Names the application of a number. */
export function applicationOf(number: number): Application {
  const afm = String(100_000_000 + number);
  return { afm, key: `chaos-${afm}` };
}

/** Submits it once, with its key; undefined when no answer came. */
export async function submit(
  { address, token }: Pick<Deployment, "address" | "token">,
  { afm, key }: Application,
): Promise<Answer | undefined> {
  try {
    // A connection of its own, so that the load balancer places every call anew.
    const headers = { "idempotency-key": key, connection: "close" };
    const response = await submitApplication({ address, token }, applicationBody(afm), headers);
    const text = await response.text();
    const { code = null }: { code?: string | null } = JSON.parse(text);
    return {
      status: response.status,
      text,
      kept: {
        "content-type": response.headers.get("content-type"),
        location: response.headers.get("location"),
      },
      replayed: response.headers.get("idempotency-replayed") === "true",
      code,
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** What says that the end of a submission is still to come, and that the same key may be sent again. */
const openCodes: readonly (string | null)[] = [
  "SUBMISSION_IN_PROGRESS",
  "OUTCOME_UNKNOWN",
  "STORE_UNAVAILABLE",
  "PROVIDER_UNREACHABLE",
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
