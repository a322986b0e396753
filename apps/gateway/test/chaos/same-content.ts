import { expect } from "vitest";
import { forEachAtOnce } from "./at-once.ts";
import { type Answer, applicationOf, submitWith } from "./callers.ts";
import type { Deployment } from "./deployment.ts";

const SIMULTANEOUS_REQUESTS = 6;

type KeyOf = (afm: string, index: number) => string | null;

/** Functions that return a request's key from the customer's tax number and the number of the request. */
const keysOf: Readonly<Record<string, KeyOf>> = {
  "without a key": () => null,
  "every second request with the same key": (afm, index) => (index % 2 === 0 ? null : `key-${afm}`),
};

/** Names for the use of keys in equal requests. */
export const sameContentWays: readonly string[] = Object.keys(keysOf);

/**
 * Sends six equal requests at once, three times. The third time is after a restart with a clock that is 600 seconds
 * ahead. Expects that the insurer executes each application once, and that all answers with status 201 are equal.
 */
export async function sendEqualRequests(
  deployment: Deployment,
  way: string,
  rounds: number,
): Promise<void> {
  const found = keysOf[way];
  if (found === undefined) throw new TypeError(`There is no way ${way}`);
  const keyOf: KeyOf = found;
  const bodies = new Map<string, Set<string>>();
  const customers = Array.from({ length: rounds }, (_, number) => applicationOf(number).afm);

  async function sendSix(afm: string, isRunningExpected: boolean): Promise<void> {
    const answers = await sixAtOnce(deployment, afm, (index) => keyOf(afm, index));
    const allowed = isRunningExpected ? [201, 409] : [201];
    expect(
      answers.filter(({ status }) => !allowed.includes(status)),
      afm,
    ).toEqual([]);
    const texts = answers.filter(({ status }) => status === 201).map(({ text }) => text);
    bodies.set(afm, new Set([...(bodies.get(afm) ?? []), ...texts]));
    for (const { code, status } of answers)
      if (status === 409) expect(code).toBe("SUBMISSION_IN_PROGRESS");
  }

  await forEachAtOnce(customers, async (afm) => {
    await sendSix(afm, true);
    await sendSix(afm, false);
  });
  await Promise.all(deployment.replicas.map((replica) => replica.kill()));
  await Promise.all(deployment.replicas.map((replica) => replica.start({ aheadMs: 600_000 })));
  await forEachAtOnce(customers, (afm) => sendSix(afm, false));

  expect(deployment.insurer.arrivals()).toHaveLength(rounds);
  for (const afm of customers) {
    expect(deployment.insurer.carriedOut(afm), afm).toHaveLength(1);
    expect(bodies.get(afm)?.size, afm).toBe(1);
  }
}

/** Promises, one for each customer, for which the insurer waits before it answers. */
export interface Gates {
  of(afm: string): PromiseWithResolvers<void>;
}

/** Creates gates whose promises are not resolved. */
export function createGates(): Gates {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  return {
    of(afm) {
      const gate = gates.get(afm) ?? Promise.withResolvers<void>();
      gates.set(afm, gate);
      return gate;
    },
  };
}

/**
 * Sends an application six times at once, each time with another key. Expects that the gateway sends one request to the
 * insurer and refuses the five others.
 */
export async function sendDifferentKeys(
  deployment: Deployment,
  rounds: number,
  gates: Gates,
): Promise<void> {
  const customers = Array.from({ length: rounds }, (_, number) => applicationOf(number).afm);
  await forEachAtOnce(customers, async (afm) => {
    let answered = 0;
    const answers = await sixAtOnce(
      deployment,
      afm,
      (index) => `key-${afm}-${index}`,
      () => {
        answered += 1;
        // The insurer answers only after the five other requests are refused.
        if (answered === SIMULTANEOUS_REQUESTS - 1) gates.of(afm).resolve();
      },
    );
    const successes = answers.filter(({ status }) => status === 201);
    const others = answers.filter(({ code }) => code === "DUPLICATE_APPLICATION");
    expect([successes.length, others.length], afm).toEqual([1, SIMULTANEOUS_REQUESTS - 1]);
    expect(new Set(others.map(({ outcome }) => outcome))).toEqual(new Set(["not_sent"]));
    expect(deployment.insurer.carriedOut(afm), afm).toHaveLength(1);
  });
  expect(deployment.insurer.arrivals()).toHaveLength(rounds);
}

/** Submits until the gateway is not overloaded. An overloaded gateway refuses requests without reading them. */
async function submitUntilTaken(
  deployment: Deployment,
  afm: string,
  key: string | null,
): Promise<Answer | undefined> {
  for (;;) {
    const answer = await submitWith(deployment, afm, key);
    if (answer?.code !== "OVERLOADED") return answer;
  }
}

async function sixAtOnce(
  deployment: Deployment,
  afm: string,
  keyOf: (index: number) => string | null,
  answered: () => void = () => undefined,
): Promise<readonly Answer[]> {
  const answers = await Promise.all(
    Array.from({ length: SIMULTANEOUS_REQUESTS }, (_, index) =>
      submitUntilTaken(deployment, afm, keyOf(index)).finally(answered),
    ),
  );
  return answers.map((answer) => {
    if (answer === undefined) throw new Error("A submission was not answered");
    return answer;
  });
}
