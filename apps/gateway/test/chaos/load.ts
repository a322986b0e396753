import { setTimeout } from "node:timers/promises";
import { type Answer, type Application, type Habit, isFinal, submit } from "./callers.ts";
import type { Chance } from "./chance.ts";
import type { Deployment } from "./deployment.ts";
import type { Ledger } from "./ledger.ts";

/** Callers that send submissions. */
export interface Load {
  /** Stops the callers, after each has the answer for which it waits, or a broken connection. */
  stop(): Promise<void>;
}

const CALLERS = 14;
const habits: readonly Habit[] = ["one_key", "no_key", "sometimes", "new_key"];
/** Number of answers without a result after which a caller leaves an application for later. */
const MAX_ANSWERS_IN_A_ROW = 5;
/**
 * Share of the cases in which a caller continues an application that was left for later, instead of a new application.
 */
const CONTINUED_SHARE = 0.4;

/** Starts callers that submit applications, and repeat each until its answer is final. */
export function startLoad(deployment: Deployment, ledger: Ledger, chance: Chance): Load {
  const stop = new AbortController();

  async function insist(application: Application): Promise<boolean> {
    for (let tries = 0; tries < MAX_ANSWERS_IN_A_ROW && !stop.signal.aborted; ) {
      const answer = await submit(deployment, application);
      ledger.note(application, answer);
      noteFalseRefusal(application, answer);
      if (answer !== undefined && isFinal(answer)) return true;
      // Missing answers do not count, because the caller repeats the request until a gateway runs again.
      if (answer !== undefined) tries++;
      await setTimeout(chance.between(10, 80));
    }
    return false;
  }

  /** Records a fault if `not_sent` is reported for an executed application whose requests all had a key. */
  function noteFalseRefusal({ afm, habit, key }: Application, answer: Answer | undefined): void {
    if (answer?.outcome !== "not_sent" || (habit !== "one_key" && habit !== "new_key")) return;
    const [insurerId] = deployment.insurer.carriedOut(afm);
    if (insurerId !== undefined)
      ledger.fault(`${key}: not_sent by ${answer.code}, and ${insurerId} was carried out`);
  }

  async function work(): Promise<void> {
    while (!stop.signal.aborted) {
      const left = chance.next() < CONTINUED_SHARE ? ledger.takeOpen() : undefined;
      const application = left ?? ledger.make(habitOf(chance));
      if (!(await insist(application))) ledger.giveBack(application);
      await setTimeout(chance.between(20, 200));
    }
  }

  const working = Promise.all(Array.from({ length: CALLERS }, work));
  // `stop` passes a failure on. Until `stop` is called, Node must not report the failure as unhandled.
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
