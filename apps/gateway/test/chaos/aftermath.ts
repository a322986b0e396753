import { forEachAtOnce } from "./at-once.ts";
import { type Application, isFinal, submit, submitUntil } from "./callers.ts";
import type { Deployment } from "./deployment.ts";
import { SUBMISSION_MS } from "./deployment.ts";
import { CLOCK_MOVES_MS } from "./disturbances.ts";
import { faultsOf } from "./invariants.ts";
import type { Ledger } from "./ledger.ts";
import { replay, report } from "./rounds.ts";
import { wronglyShown } from "./shown-states.ts";
import { waitUntilNone } from "./wait-until.ts";

/** Length of a lease: the submission's deadline and 15 seconds. */
const LEASE_MS = SUBMISSION_MS + 15_000;
/**
 * Running time that a test lets pass. This time is longer than every planned wait for a query and than the insurer's
 * settle time.
 */
const AHEAD_MS = 20 * 60_000;
/** Time between two queries that prove together that the insurer does not have the submission. */
const ABSENT_FOR_MS = 5 * 60_000;
/** A query counts as due soon if it is due within this time, in milliseconds. */
const SOON_MS = 3_000;

/**
 * Waits after the kills until each submission has a final result. Compares the insurer's log, the store and the answers
 * after each step, and returns the first contradictions.
 */
export async function settleEverything(
  deployment: Deployment,
  ledger: Ledger,
): Promise<readonly string[]> {
  const stage = async (text: string): Promise<readonly string[]> => {
    const faults = [...(await faultsOf(deployment, ledger)), ...(await wronglyShown(deployment))];
    report(deployment, ledger, text, faults);
    return faults;
  };
  await askOpen(deployment, ledger);
  await waitForLeases(deployment);
  await waitForLookups(deployment);
  const soon = await stage("leases over, lookups made");
  if (soon.length > 0) return soon;
  await moveClockAhead(deployment);
  const later = await stage("all settled");
  if (later.length > 0) return later;
  deployment.insurer.answerAtOnce();
  await askToTheEnd(deployment, ledger);
  const last = await stage("all asked again");
  const counts = [...ledger.problems].map(([name, count]) => `${count} ${name}`);
  process.stderr.write(`chaos ${deployment.place.name}: ${counts.join(", ")}\n`);
  return last;
}

/**
 * Submits each application of the ledger that has no final answer. Some of these applications have not reached a
 * running gateway yet.
 */
async function askOpen(deployment: Deployment, ledger: Ledger): Promise<void> {
  for (let left = ledger.open; left > 0; left--) {
    const application = ledger.takeOpen();
    if (application === undefined) return;
    const answer = await submit(deployment, application);
    ledger.note(application, answer);
    if (answer === undefined || !isFinal(answer)) ledger.giveBack(application);
  }
}

/** Waits until no submission is in flight. A killed gateway's submissions stay in flight until their lease ends. */
export async function waitForLeases(deployment: Deployment): Promise<void> {
  await waitUntilNone("the insurer's work", 30_000, () => deployment.insurer.underway());
  await waitUntilNone(
    "submissions in flight",
    // A gateway whose clock was ahead may have stored a lease that ends later.
    LEASE_MS + CLOCK_MOVES_MS + 15_000,
    async () => (await deployment.records()).filter(({ state }) => state === "in_flight").length,
  );
}

/**
 * Waits until no query is due soon. Each submission that the insurer executed has then succeeded, or its next query is
 * due later.
 */
export async function waitForLookups(deployment: Deployment): Promise<void> {
  await waitUntilNone("lookups that are due", 180_000, async () => {
    const running = await deployment.place.running(deployment.dataFolder);
    return (await deployment.records()).filter(
      ({ nextQueryAt, state }) =>
        state === "outcome_unknown" && (nextQueryAt ?? 0) < running + SOON_MS,
    ).length;
  });
}

/** Lets running time pass while no gateway runs, and then waits for the queries that have become due. */
export async function letTimePass(deployment: Deployment, milliseconds: number): Promise<void> {
  const { place, replicas } = deployment;
  await Promise.all(replicas.map((replica) => replica.kill()));
  await place.pass(deployment.dataFolder, milliseconds);
  await Promise.all(replicas.map((replica) => replica.start()));
  await waitForLookups(deployment);
}

/** Lets the times of the first and second queries pass, and waits until each submission has a final result. */
export async function moveClockAhead(deployment: Deployment): Promise<void> {
  for (const wait of [AHEAD_MS, ABSENT_FOR_MS]) await letTimePass(deployment, wait);
  await waitUntilNone(
    "submissions without an end",
    180_000,
    async () =>
      (await deployment.records()).filter(
        ({ state }) => state !== "succeeded" && state !== "failed",
      ).length,
  );
}

/** Expects a final answer for each application, and the same answer to a repeated request. */
async function askToTheEnd(deployment: Deployment, ledger: Ledger): Promise<void> {
  const open: Application[] = [];
  for (let next = ledger.takeOpen(); next !== undefined; next = ledger.takeOpen()) open.push(next);
  await forEachAtOnce(open, async (application) => {
    const answer = await submitUntil(isFinal, deployment, application);
    if (answer === undefined || !isFinal(answer))
      throw new Error(`${application.key} has no final answer: ${answer?.text}`);
    ledger.note(application, answer);
  });
  await replay(deployment, ledger, ledger.acknowledged());
}
