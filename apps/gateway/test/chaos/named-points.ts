import { expect } from "vitest";
import { moveClockAhead, waitForLeases, waitForLookups } from "./aftermath.ts";
import { type Answer, type Application, applicationOf, submit } from "./callers.ts";
import type { Deployment } from "./deployment.ts";
import { faultsOf } from "./invariants.ts";
import { createLedger } from "./ledger.ts";
import type { KillPoint } from "./replica.ts";

/** The expected facts after the gateway was killed at a point of a submission. */
interface ExpectedFacts {
  readonly point: KillPoint;
  readonly arrives: boolean;
  /** True if the store had written the result to disk before the kill. */
  readonly settled: boolean;
}

const points: readonly ExpectedFacts[] = [
  { point: "after_claim", arrives: false, settled: false },
  { point: "before_send", arrives: false, settled: false },
  { point: "after_send", arrives: true, settled: false },
  { point: "after_answer", arrives: true, settled: false },
  { point: "before_reply", arrives: true, settled: true },
];

/** Kills the gateway at each point during a separate submission, and checks each submission until its final result. */
export async function runNamedPoints(deployment: Deployment): Promise<void> {
  const cases = points.map((expected, index) => ({
    ...expected,
    application: applicationOf(index),
  }));
  for (const { application, point } of cases) await killAt(deployment, point, application);
  await deployment.replicas[0].start();

  for (const { application, arrives, point, settled } of cases) {
    const answer = await told(deployment, application);
    if (settled) expect(answer, point).toMatchObject({ status: 201, replayed: true });
    else expect(arrives ? [201, 409, 504] : [409, 504], point).toContain(answer.status);
  }
  await waitForLeases(deployment);
  await waitForLookups(deployment);
  for (const { application, arrives, point } of cases) {
    const { code, status } = await told(deployment, application);
    // The outcome may still be unknown, because a query that the next kill interrupted is repeated only later.
    if (!arrives || status !== 201) expect(code, point).toBe("OUTCOME_UNKNOWN");
  }
  await moveClockAhead(deployment);
  const ledger = createLedger();
  for (const { application, arrives, point } of cases) {
    const answer = await told(deployment, application);
    const end = arrives ? { status: 201 } : { code: "PROVIDER_REJECTED" };
    expect(answer, point).toMatchObject({ ...end, replayed: true });
    ledger.note(application, answer);
  }
  const arrived = cases.filter(({ arrives }) => arrives);
  expect(deployment.insurer.arrivals().map(({ afm }) => afm)).toEqual(
    arrived.map(({ application }) => application.afm),
  );
  expect(await faultsOf(deployment, ledger)).toEqual([]);
}

/** Starts a gateway that kills itself at a point of a submission, and submits an application to the gateway. */
async function killAt(
  { replicas: [victim], token }: Deployment,
  point: KillPoint,
  application: Application,
): Promise<void> {
  await victim.kill();
  await victim.start({ killAt: point });
  const answer = await submit({ address: victim.address ?? "", token }, application);
  expect(answer, point).toBeUndefined();
  expect(await victim.ended()).toBe("SIGKILL");
}

async function told(deployment: Deployment, application: Application): Promise<Answer> {
  const answer = await submit(deployment, application);
  if (answer === undefined) throw new Error(`${application.key} was not answered`);
  return answer;
}
