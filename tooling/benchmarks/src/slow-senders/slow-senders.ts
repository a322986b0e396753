import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SlowLife, SlowOrder, SlowPlan, SlowReport } from "./plan.ts";

/** Slow senders in a process of their own. */
export interface SlowSenders {
  /** Gives their connections up, and tells how each one lived. */
  end(): Promise<readonly SlowLife[]>;
}

/** Begins to make the connections of a plan. */
export function startSlowSenders(plan: SlowPlan): SlowSenders {
  const child = fork(fileURLToPath(new URL("slow-process.ts", import.meta.url)));
  const reported = once(child, "message");
  child.send({ begin: plan } satisfies SlowOrder);
  return {
    async end() {
      child.send({ end: true } satisfies SlowOrder);
      const [said] = await reported;
      child.disconnect();
      // Its own program says nothing else.
      return (said as SlowReport).lives;
    },
  };
}
