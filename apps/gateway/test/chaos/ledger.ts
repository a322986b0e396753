import { type Answer, type Application, applicationOf, isExpected, isFinal } from "./callers.ts";

/** What the callers of a run know: which applications there are, and what they were told. */
export interface Ledger {
  /** A new application. */
  make(): Application;
  /** Takes an application that has no final answer yet; undefined when there is none. */
  takeOpen(): Application | undefined;
  /** Gives one back that has none yet. */
  giveBack(application: Application): void;
  /** Notes what a caller was told; undefined when no answer came, which only who has none yet may meet. */
  note(application: Application, answer: Answer | undefined): void;
  /** Every final answer so far, in the order they were given. */
  acknowledged(): readonly Acknowledged[];
  /** How many applications wait for their final answer. */
  readonly open: number;
  /** What no caller should have been told. */
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
  let made = 0;
  return {
    make: () => applicationOf(++made),
    takeOpen: () => open.shift(),
    giveBack: (application) => void open.push(application),
    note(application, answer) {
      const before = acknowledged.get(application.key);
      if (before !== undefined) faults.push(...replayFaults(before, answer));
      else if (answer === undefined) return;
      else if (isFinal(answer)) acknowledged.set(application.key, { application, answer });
      else if (!isExpected(answer))
        faults.push(`${application.key}: answered ${answer.status} ${answer.text}`);
    },
    acknowledged: () => [...acknowledged.values()],
    get open() {
      return open.length;
    },
    faults,
  };
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
