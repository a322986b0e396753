import { setTimeout } from "node:timers/promises";
import { type Answer, type Application, type Habit, isFinal, submit } from "./callers.ts";
import type { Chance } from "./chance.ts";
import type { Deployment } from "./deployment.ts";
import type { Ledger } from "./ledger.ts";

/** Callers that send applications. */
export interface Load {
  /** Stops each caller after its current answer or broken connection. */
  stop(): Promise<void>;
}

const CALLERS = 14;
const habits: readonly Habit[] = ["one_key", "no_key", "sometimes", "new_key"];
/** Maximum of answers without a result in a row, before a caller leaves an application for later. */
const INSISTS = 5;
/** Probability that a caller continues an application that a caller set aside before. */
const COMES_BACK = 0.4;

/** Starts callers that submit applications, and repeat them with the same key until they have a final answer. */
export function startLoad(deployment: Deployment, ledger: Ledger, chance: Chance): Load {
  const stop = new AbortController();

  async function insist(application: Application): Promise<boolean> {
    for (let tries = 0; tries < INSISTS && !stop.signal.aborted; ) {
      const answer = await submit(deployment, application);
      ledger.note(application, answer);
      noteFalseRefusal(application, answer);
      if (answer !== undefined && isFinal(answer)) return true;
      // While no gateway answers, the caller just tries again.
      if (answer !== undefined) tries++;
      await setTimeout(chance.between(10, 80));
    }
    return false;
  }

  /** If a key was always sent, `not_sent` applies to all requests of the submission. */
  function noteFalseRefusal({ afm, habit, key }: Application, answer: Answer | undefined): void {
    if (answer?.outcome !== "not_sent" || (habit !== "one_key" && habit !== "new_key")) return;
    const [insurerId] = deployment.insurer.carriedOut(afm);
    if (insurerId !== undefined)
      ledger.fault(`${key}: not_sent by ${answer.code}, and ${insurerId} was carried out`);
  }

  async function work(): Promise<void> {
    while (!stop.signal.aborted) {
      const left = chance.next() < COMES_BACK ? ledger.takeOpen() : undefined;
      const application = left ?? ledger.make(habitOf(chance));
      if (!(await insist(application))) ledger.giveBack(application);
      await setTimeout(chance.between(20, 200));
    }
  }

  const working = Promise.all(Array.from({ length: CALLERS }, work));
  // The caller of `stop` receives a failure. Until then, this handler prevents an unhandled rejection.
  working.catch(() => undefined);
  return {
    async stop() {
      stop.abort();
      await working;
    },
  };
}

function habitOf(chance: Chance): Habit {
  return habits[Math.floor(chance.next() * habits.length)] ?? "one_key";
}
