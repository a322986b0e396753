import { expect } from "vitest";
import { type Answer, applicationOf, submit } from "./callers.ts";
import type { Deployment } from "./deployment.ts";

const SIMULTANEOUS_REQUESTS = 50;

/** Submits one application 50 times at once, and 50 more times after the insurer's execution. */
export async function submitAtOnce(deployment: Deployment): Promise<void> {
  const { balancer, insurer, replicas } = deployment;
  const first = await answersAtOnce(deployment);
  const successes = first.filter(({ status }) => status === 201);
  const rest = first.filter(({ status }) => status !== 201);

  expect(insurer.arrivals()).toHaveLength(1);
  expect(successes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(rest.filter(({ code }) => code !== "SUBMISSION_IN_PROGRESS")).toEqual([]);

  const again = await answersAtOnce(deployment);
  expect(again.filter(({ replayed }) => replayed)).toHaveLength(SIMULTANEOUS_REQUESTS);
  expect(new Set([...successes, ...again].map(({ text }) => text)).size).toBe(1);
  expect(insurer.arrivals()).toHaveLength(1);
  for (const { address } of replicas)
    expect(balancer.taken(address ?? "")).toBe((2 * SIMULTANEOUS_REQUESTS) / replicas.length);
}

async function answersAtOnce(deployment: Deployment): Promise<readonly Answer[]> {
  const application = applicationOf(1);
  const answers = await Promise.all(
    Array.from({ length: SIMULTANEOUS_REQUESTS }, () => submit(deployment, application)),
  );
  return answers.map((answer) => {
    if (answer === undefined) throw new Error("A submission was not answered");
    return answer;
  });
}
