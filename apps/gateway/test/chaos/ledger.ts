import {
  type Answer,
  type Application,
  applicationOf,
  type Habit,
  isExpected,
  isFinal,
} from "./callers.ts";

/** The applications of all callers in a run, and the answers to them. */
export interface Ledger {
  /** Creates an application of a caller with the given habit. */
  make(habit: Habit): Application;
  /** Tax numbers of the customers whose callers always send the same key. */
  readonly ofOneKey: ReadonlySet<string>;
  /** Removes and returns an application without a final answer; undefined if all applications have a final answer. */
  takeOpen(): Application | undefined;
  /** Puts an application back that still has no final answer. */
  giveBack(application: Application): void;
  /**
   * Records the answer to a caller; undefined if no answer arrived. After a final answer, a missing answer is a fault.
   */
  note(application: Application, answer: Answer | undefined): void;
  /** Returns all final answers so far, in their order. */
  acknowledged(): readonly Acknowledged[];
  /** Number of applications without a final answer. */
  readonly open: number;
  /** Number of answers with each problem, by code and outcome. */
  readonly problems: ReadonlyMap<string, number>;
  /** Records a fault: an answer that no caller may receive. */
  fault(text: string): void;
  readonly faults: readonly string[];
}

/** A final answer that a caller has received. */
export interface Acknowledged {
  readonly application: Application;
  readonly answer: Answer;
}

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  const acknowledged = new Map<string, Acknowledged>();
  const open: Application[] = [];
  const faults: string[] = [];
  const problems = new Map<string, number>();
  const ofOneKey = new Set<string>();
  let made = 0;
  return {
    make(habit) {
      const application = applicationOf(++made, habit);
      if (habit === "one_key") ofOneKey.add(application.afm);
      return application;
    },
    ofOneKey,
    takeOpen: () => open.shift(),
    giveBack: (application) => void open.push(application),
    problems,
    note(application, answer) {
      if (answer !== undefined && answer.status !== 201) {
        const name = `${answer.code} ${answer.outcome}`;
        problems.set(name, (problems.get(name) ?? 0) + 1);
      }
      const before = acknowledged.get(application.key);
      if (before !== undefined && isSentAgain(before, answer)) {
        // The answer to the newer submission replaces the answer to the earlier submission.
        if (answer !== undefined && answer.status === 201)
          acknowledged.set(application.key, { application, answer });
      } else if (before !== undefined) faults.push(...replayFaults(before, answer));
      else if (answer === undefined) return;
      else if (isFinal(answer)) acknowledged.set(application.key, { application, answer });
      else if (!isExpected(answer))
        faults.push(`${application.key}: answered ${answer.status} ${answer.text}`);
    },
    acknowledged: () => [...acknowledged.values()],
    get open() {
      return open.length;
    },
    fault: (text) => void faults.push(text),
    faults,
  };
}

/** Reports whether some requests of a caller have no key, so that a request after a failure is a new submission. */
export function isWithoutKey({ habit }: Application): boolean {
  return habit === "no_key" || habit === "sometimes";
}

/**
 * Reports whether an answer can belong to a newer submission than the earlier final answer. Without a key, an
 * application that failed is sent again. A request with the key of the failed application still gets the old answer.
 */
function isSentAgain(
  { answer: before, application }: Acknowledged,
  answer: Answer | undefined,
): boolean {
  if (!isWithoutKey(application) || answer === undefined || !isExpected(answer)) return false;
  if (before.status !== 201) return true;
  return application.habit === "sometimes" && answer.code === "PROVIDER_REJECTED";
}

/** Returns a fault if the answer to a repeated request differs from the final answer in any byte. */
function replayFaults(
  { answer: before, application }: Acknowledged,
  answer: Answer | undefined,
): readonly string[] {
  if (answer === undefined) return [`${application.key}: acknowledged, then not answered`];
  const shown = ({ kept, status, text }: Answer): string => JSON.stringify({ status, kept, text });
  if (!answer.replayed)
    return [`${application.key}: acknowledged, then not replayed: ${shown(answer)}`];
  return shown(answer) === shown(before)
    ? []
    : [`${application.key}: acknowledged as ${shown(before)}, then replayed as ${shown(answer)}`];
}
