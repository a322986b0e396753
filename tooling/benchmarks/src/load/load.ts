import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Ending, LoadColumns, LoadOrder, LoadPlan, LoadReport, LoadSecond } from "./plan.ts";

/** One call of a load. */
export interface Sample {
  readonly call: string;
  readonly dueAt: number;
  readonly lateMs: number;
  readonly tookMs: number;
  readonly ending: Ending;
}

/** Everything that a load did. */
export interface Samples {
  readonly sent: readonly Sample[];
  /** When those were due for which no connection was free. */
  readonly notSentAt: readonly number[];
}

/** A load that is being sent, in a process of its own. */
export interface RunningLoad {
  readonly pid: number;
  /** Sends no more, and gives everything when the last answer has come. */
  end(): Promise<Samples>;
}

/**
 * Begins to send.
 * @param second - is told what happened, each second
 */
export async function startLoad(
  plan: LoadPlan,
  second: (happened: LoadSecond) => void = () => {},
): Promise<RunningLoad> {
  const child = fork(fileURLToPath(new URL("load-process.ts", import.meta.url)), {
    serialization: "advanced",
  });
  const exited = once(child, "exit");
  const everything = new Promise<LoadColumns>((resolve, reject) => {
    child.on("message", (report) => {
      // Its own program says nothing else.
      const said = report as LoadReport;
      if ("second" in said) second(said.second);
      else resolve(said.columns);
    });
    void exited.then(() => reject(new Error("The load ended before it was told to")));
  });
  // Whoever began it may ask late.
  everything.catch(() => undefined);
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new TypeError("A process that was spawned has an id");
  child.send({ begin: plan } satisfies LoadOrder);
  return {
    pid,
    async end() {
      if (child.connected) child.send({ end: true } satisfies LoadOrder);
      const columns = await everything;
      child.disconnect();
      await exited;
      return samplesIn(columns, plan);
    },
  };
}

function samplesIn(columns: LoadColumns, { calls }: LoadPlan): Samples {
  const at = <Value>(values: ArrayLike<Value>, place: number | undefined): Value => {
    const value = place === undefined ? undefined : values[place];
    if (value === undefined) throw new RangeError("A column is shorter than the others");
    return value;
  };
  return {
    sent: Array.from(columns.dueAt, (dueAt, row) => ({
      dueAt,
      call: at(calls, columns.call[row]).name,
      lateMs: at(columns.lateMs, row),
      tookMs: at(columns.tookMs, row),
      ending: at(columns.endings, columns.ending[row]),
    })),
    notSentAt: [...columns.notSentAt],
  };
}
