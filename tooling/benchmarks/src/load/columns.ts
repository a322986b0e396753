import type { Ending, LoadColumns } from "./plan.ts";

/** Notes calls as they end. */
export interface Recorder {
  note(dueAt: number, lateMs: number, tookMs: number, call: number, ending: Ending): void;
  notSent(dueAt: number): void;
  columns(): LoadColumns;
}

/** Makes one that has noted nothing. */
export function createRecorder(): Recorder {
  const dueAts: number[] = [];
  const lates: number[] = [];
  const tooks: number[] = [];
  const calls: number[] = [];
  const endingOf: number[] = [];
  const notSentAt: number[] = [];
  const endings: Ending[] = [];
  const known = new Map<string, number>();
  const placeOf = (ending: Ending): number => {
    const key = Object.values(ending).join(" ");
    const place = known.get(key) ?? endings.push(ending) - 1;
    known.set(key, place);
    return place;
  };
  return {
    note(dueAt, lateMs, tookMs, call, ending) {
      dueAts.push(dueAt);
      lates.push(lateMs);
      tooks.push(tookMs);
      calls.push(call);
      endingOf.push(placeOf(ending));
    },
    notSent(dueAt) {
      notSentAt.push(dueAt);
    },
    columns: () => ({
      dueAt: Float64Array.from(dueAts),
      lateMs: Float64Array.from(lates),
      tookMs: Float64Array.from(tooks),
      call: Uint16Array.from(calls),
      ending: Uint16Array.from(endingOf),
      endings,
      notSentAt: Float64Array.from(notSentAt),
    }),
  };
}
