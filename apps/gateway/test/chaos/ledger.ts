import {
  type Answer,
  type Application,
  applicationOf,
  type Habit,
  isExpected,
  isFinal,
} from "./callers.ts";

/** The callers' knowledge during a run: their applications, and the answers to them. */
export interface Ledger {
  /** Creates a new application of a caller with this habit. */
  make(habit: Habit): Application;
  /** The customers whose callers always send the same key. */
  readonly ofOneKey: ReadonlySet<string>;
  /** Removes and returns an application without a final answer; undefined if there is none. */
  takeOpen(): Application | undefined;
  /** Returns an application without a final answer to the ledger. */
  giveBack(application: Application): void;
  /** Records a caller's answer; undefined if no answer arrived, which is a fault after a final answer. */
  note(application: Application, answer: Answer | undefined): void;
  /** Returns the latest final answer of each application, in the order of the first ones. */
  acknowledged(): readonly Acknowledged[];
  /** The number of applications without a final answer. */
  readonly open: number;
  /** The number of each problem that callers without a final answer received, by code and outcome. */
  readonly problems: ReadonlyMap<string, number>;
  /** Adds a fault: an answer that no caller should receive. */
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
        // The newer submission's answer replaces the older answer.
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

/**
 * Reports whether some requests of a caller have no key, so that a request after a failed submission is a new
 * submission.
 */
export function isWithoutKey({ habit }: Application): boolean {
  return habit === "no_key" || habit === "sometimes";
}

/**
 * Reports whether an answer belongs to a new submission. An application without a key that failed is sent again, while
 * a request with the failed submission's key still gets the old answer.
 */
function isSentAgain(
  { answer: before, application }: Acknowledged,
  answer: Answer | undefined,
): boolean {
  if (!isWithoutKey(application) || answer === undefined || !isExpected(answer)) return false;
  if (before.status !== 201) return true;
  return application.habit === "sometimes" && answer.code === "PROVIDER_REJECTED";
}

/** Compares a repeated answer with the acknowledged answer, byte by byte. */
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
