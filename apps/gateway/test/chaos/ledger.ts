import {
  type Answer,
  type Application,
  applicationOf,
  type Habit,
  isExpected,
  isFinal,
} from "./callers.ts";

/** The callers' knowledge in a run: their applications, and the answers. */
export interface Ledger {
  /** A new application of a caller with this habit. */
  make(habit: Habit): Application;
  /** The customers whose callers always send the same key. */
  readonly ofOneKey: ReadonlySet<string>;
  /** Takes an application that has no final answer yet; undefined when there is none. */
  takeOpen(): Application | undefined;
  /** Gives one back that has none yet. */
  giveBack(application: Application): void;
  /** Records a caller's answer; undefined when no answer came, which only who has none yet may meet. */
  note(application: Application, answer: Answer | undefined): void;
  /** Every final answer so far, in the order they were given. */
  acknowledged(): readonly Acknowledged[];
  /** How many applications wait for their final answer. */
  readonly open: number;
  /** How often callers without a final answer got each problem, by code and outcome. */
  readonly problems: ReadonlyMap<string, number>;
  /** Adds what no caller should have been answered. */
  fault(text: string): void;
  readonly faults: readonly string[];
}

/** A final answer that a caller has. */
export interface Acknowledged {
  readonly application: Application;
  readonly answer: Answer;
}

/** Makes an empty one. */
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
        // The newer submission is what counts.
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

/** Whether a caller's requests may be of a key or of none, so that one that follows a failed submission is a new one. */
export function isWithoutKey({ habit }: Application): boolean {
  return habit === "no_key" || habit === "sometimes";
}

/**
 * Whether an answer is another submission's: without a key, an application that failed is sent again; and the key of
 * one that failed still gets that answer.
 */
function isSentAgain(
  { answer: before, application }: Acknowledged,
  answer: Answer | undefined,
): boolean {
  if (!isWithoutKey(application) || answer === undefined || !isExpected(answer)) return false;
  if (before.status !== 201) return true;
  return application.habit === "sometimes" && answer.code === "PROVIDER_REJECTED";
}

/** An acknowledged answer is given again as it was, to the byte. */
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
