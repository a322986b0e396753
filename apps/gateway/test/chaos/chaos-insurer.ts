import { setTimeout } from "node:timers/promises";
import {
  type Arrival,
  type InsurerAnswer,
  startFaultInjectingInsurer,
} from "@insurance-gateway/testkit";
import { createApplicationsInsurer } from "../harness/applications.ts";

/** The insurer's reaction to a customer's application. */
export interface Manner {
  /** Time before the insurer does anything with the application, in milliseconds. */
  readonly afterMs: number;
  /** A promise for which the insurer waits before the insurer does anything with the application. */
  readonly until?: Promise<void>;
  /** `resets` and `times-out` execute the application without an answer; `refuses` does not execute the application. */
  readonly does: "answers" | "resets" | "times-out" | "refuses";
}

/** An application that has arrived at the insurer. */
export interface ArrivedApplication {
  readonly afm: string;
  /** The gateway's id of the submission; null if the request has none. */
  readonly submissionId: string | null;
}

/** Provider D's insurer. A test chooses the insurer's reactions to applications. Searches always work. */
export interface ChaosInsurer {
  readonly baseUrl: string;
  /** Returns all applications that have arrived, from the log on disk. */
  arrivals(): readonly ArrivedApplication[];
  /** Returns the insurer's identifiers of a customer's applications. */
  carriedOut(afm: string): readonly string[];
  /** Reports whether the insurer has refused an application of a customer. */
  hasRefused(afm: string): boolean;
  /** Returns the number of applications that the insurer is still working on. */
  underway(): number;
  /**
   * Makes the insurer execute and answer later applications immediately, because no query would find an application
   * that the insurer executes late.
   */
  answerAtOnce(): void;
  close(): Promise<void>;
}

/** Starts an insurer that writes each arriving application to the file `log` before anything else. */
export async function startChaosInsurer(
  log: string,
  mannerOf: (afm: string) => Manner,
): Promise<ChaosInsurer> {
  const applications = createApplicationsInsurer();
  const references = new Map<string, string[]>();
  const refused = new Set<string>();
  let underway = 0;
  let isCalm = false;

  async function receive(arrival: Arrival): Promise<InsurerAnswer> {
    const afm = afmIn(arrival);
    const manner = mannerOf(afm);
    const { afterMs, does, until } = isCalm && manner.does !== "refuses" ? ANSWER_AT_ONCE : manner;
    await setTimeout(afterMs);
    await until;
    if (does === "refuses") {
      refused.add(afm);
      return refusal;
    }
    const answer = applications.execute(arrival);
    references.set(afm, [...(references.get(afm) ?? []), referenceIn(answer)]);
    if (does === "resets") throw new ResetOnPurpose();
    return does === "times-out" ? timeout : answer;
  }

  const insurer = await startFaultInjectingInsurer({
    log,
    async execute(arrival) {
      if (arrival.method === "GET") return applications.execute(arrival);
      underway += 1;
      return receive(arrival).finally(() => {
        underway -= 1;
      });
    },
  });
  return {
    baseUrl: insurer.baseUrl,
    arrivals: () =>
      insurer
        .arrivals()
        .filter(({ method }) => method === "POST")
        .map((arrival) => ({ afm: afmIn(arrival), submissionId: arrival.submissionId })),
    carriedOut: (afm) => references.get(afm) ?? [],
    hasRefused: (afm) => refused.has(afm),
    underway: () => underway,
    answerAtOnce() {
      isCalm = true;
    },
    close: () =>
      insurer.close().catch((error: unknown) => {
        if (!(error instanceof ResetOnPurpose)) throw error;
      }),
  };
}

/** Error for an application whose connection the insurer resets. A search never throws this error. */
class ResetOnPurpose extends Error {}

const ANSWER_AT_ONCE: Manner = { does: "answers", afterMs: 0 };

const refusal: InsurerAnswer = {
  status: 422,
  headers: { "content-type": "application/problem+json" },
  body: JSON.stringify({ code: "PROVIDER_REJECTED", status: 422 }),
};

const timeout: InsurerAnswer = {
  status: 504,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><title>504 Gateway Time-out</title>",
};

function afmIn({ body }: Arrival): string {
  const { holder }: { holder: { afm: string } } = JSON.parse(body);
  return holder.afm;
}

function referenceIn({ body }: InsurerAnswer): string {
  const { applicationId }: { applicationId: string } = JSON.parse(String(body));
  return applicationId;
}
