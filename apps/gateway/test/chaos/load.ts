import { setTimeout } from "node:timers/promises";
import { type Answer, type Application, type Habit, isFinal, submit } from "./callers.ts";
import type { Chance } from "./chance.ts";
import type { Deployment } from "./deployment.ts";
import type { Ledger } from "./ledger.ts";

/** Callers at work. */
export interface Load {
  /** Stops when each has the answer, or the broken connection, it is waiting for. */
  stop(): Promise<void>;
}

const CALLERS = 14;
const habits: readonly Habit[] = ["one_key", "no_key", "sometimes", "new_key"];
/** The number of answers in a row without a result that a caller accepts, before it leaves an application for later. */
const INSISTS = 5;
/** How often a caller comes back to one that was left. */
const COMES_BACK = 0.4;

/** Starts callers who submit, and insist with the same key whenever they have no final answer. */
export function startLoad(deployment: Deployment, ledger: Ledger, chance: Chance): Load {
  const stop = new AbortController();

  async function insist(application: Application): Promise<boolean> {
    for (let tries = 0; tries < INSISTS && !stop.signal.aborted; ) {
      const answer = await submit(deployment, application);
      ledger.note(application, answer);
      noteFalseRefusal(application, answer);
      if (answer !== undefined && isFinal(answer)) return true;
      // While nobody answers, there is nothing else to do than to insist.
      if (answer !== undefined) tries++;
      await setTimeout(chance.between(10, 80));
    }
    return false;
  }

  /** Where a key was always sent, `not_sent` speaks of the submission, whatever happened to its requests. */
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
  // The caller of stop receives a failure; until then, the failure counts as handled.
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
