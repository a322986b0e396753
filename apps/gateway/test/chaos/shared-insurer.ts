import { setTimeout } from "node:timers/promises";
import { listedApplication } from "../harness/applications.ts";
import { KEY_HEADER } from "../harness/brokers.ts";
import { type Arrival, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import type { Chance } from "./chance.ts";

/** The insurer's reaction to a broker's application. */
export type SharedManner =
  /** Executes the application, and answers the broker that sent the application. */
  | "answers"
  /** Executes the application and sends no answer. */
  | "loses"
  /** Executes the application, and answers with the other broker's application. */
  | "swaps"
  /** Breaks the connection and does not execute the application. */
  | "ignores"
  /** Answers with an existing application of the customer, from any broker. */
  | "recognises";

/** An application that the insurer has created. */
interface Made {
  readonly application: object & { readonly applicationId: string };
  readonly submissionId: string;
  readonly afm: string;
}

/** An insurer of several brokers that lists the applications of all brokers, and compares them for duplicates. */
export interface SharedInsurer {
  readonly baseUrl: string;
  /** Number of arrivals of each submission, by the submission's id. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** Returns the identifier that the insurer gave to a submission; undefined if the insurer did not execute it. */
  madeFor(submissionId: string): string | undefined;
  /** Returns the identifiers of a customer's applications, from all brokers. */
  madeOf(afm: string): readonly string[];
  /** Ids of the submissions that the insurer answered with the application of another submission. */
  readonly misled: ReadonlySet<string>;
  /** Sets the insurer's reaction to later applications of a customer. */
  treat(afm: string, manner: (broker: string) => SharedManner): void;
  close(): Promise<void>;
}

/**
 * Longest time that an answer waits for the other broker's answer before the insurer swaps the two, in milliseconds.
 */
const SWAPS_WITHIN_MS = 150;

/** Starts the insurer. */
export async function startSharedInsurer(chance: Chance): Promise<SharedInsurer> {
  const made: Made[] = [];
  const arrivals = new Map<string, number>();
  const misled = new Set<string>();
  const manners = new Map<string, (broker: string) => SharedManner>();
  /** Functions that receive the other broker's application for a waiting answer, by customer. */
  const waiting = new Map<string, (other: object) => void>();

  function make(body: object, submissionId: string): Made {
    const at = new Date().toISOString();
    const applicationId = `D-${made.length + 1}`;
    const application = listedApplication(body, { applicationId, createdAt: at, updatedAt: at });
    const one = { application, submissionId, afm: afmIn(body) };
    made.unshift(one);
    return one;
  }

  /** Returns the other broker's application if it arrives at the same time; otherwise returns `own`. */
  async function swapped(afm: string, own: object): Promise<object> {
    const other = waiting.get(afm);
    if (other !== undefined) {
      waiting.delete(afm);
      const theirs = Promise.withResolvers<object>();
      other(own);
      swaps.set(own, theirs.resolve);
      return Promise.race([theirs.promise, setTimeout(SWAPS_WITHIN_MS, own)]);
    }
    const theirs = Promise.withResolvers<object>();
    waiting.set(afm, (application) => {
      theirs.resolve(application);
      swaps.get(application)?.(own);
    });
    return Promise.race([theirs.promise, setTimeout(SWAPS_WITHIN_MS, own)]);
  }
  const swaps = new Map<object, (other: object) => void>();

  async function answerTo({ body, headers }: Arrival): Promise<object | null> {
    const sent: object = JSON.parse(body);
    const [afm, submissionId] = [afmIn(sent), String(headers["idempotency-key"])];
    arrivals.set(submissionId, (arrivals.get(submissionId) ?? 0) + 1);
    const manner = manners.get(afm)?.(String(headers[KEY_HEADER])) ?? "answers";
    await setTimeout(chance.between(0, 60));
    const known = made.find((one) => one.afm === afm);
    if (manner === "ignores") return null;
    if (manner === "recognises" && known !== undefined) {
      misled.add(submissionId);
      return known.application;
    }
    const { application } = make(sent, submissionId);
    if (manner === "loses") return null;
    if (manner !== "swaps") return application;
    const given = await swapped(afm, application);
    if (given !== application) misled.add(submissionId);
    return given;
  }

  const insurer: Insurer = await startInsurer((response, arrival) => {
    if (arrival.method === "POST")
      void answerTo(arrival).then((application) =>
        application === null ? response.destroy() : json(201, application)(response, arrival),
      );
    else {
      const afm = new URL(arrival.url, insurer.baseUrl).searchParams.get("clientAfm");
      const items = made.filter((one) => one.afm === afm).map(({ application }) => application);
      json(200, { items, start: 1, limit: 100, total: items.length })(response, arrival);
    }
  });
  return {
    baseUrl: insurer.baseUrl,
    arrivals,
    madeFor: (submissionId) =>
      made.find((one) => one.submissionId === submissionId)?.application.applicationId,
    madeOf: (afm) =>
      made.filter((one) => one.afm === afm).map(({ application }) => application.applicationId),
    misled,
    treat: (afm, manner) => void manners.set(afm, manner),
    close: () => insurer.close(),
  };
}

function afmIn(body: object): string {
  return String(Reflect.get(Object(Reflect.get(body, "holder")), "afm"));
}
