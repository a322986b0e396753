import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { InsurerBehaviour, InsurerOrder, InsurerReport } from "./behaviour.ts";

/** An insurer that serves HTTP from a process of its own. */
export interface Insurer {
  readonly baseUrl: string;
  readonly pid: number;
  /** Answers so from now on. */
  behave(behaviour: InsurerBehaviour): Promise<void>;
  /** When each request reached it, in milliseconds since 1970. */
  arrivals(): Promise<readonly number[]>;
  /** Stops the process as it is: connections are taken and bytes are received, and nothing is ever answered. */
  freeze(): void;
  kill(): Promise<void>;
}

/** Starts one. */
export async function startInsurer(behaviour: InsurerBehaviour): Promise<Insurer> {
  const child = fork(fileURLToPath(new URL("insurer-process.ts", import.meta.url)), {
    serialization: "advanced",
  });
  const exited = once(child, "exit");
  const { port } = await next(child, "port");
  const { pid } = child;
  if (pid === undefined) throw new TypeError("A process that answers has an id");
  const behave = async (wanted: InsurerBehaviour): Promise<void> => {
    child.send({ behave: wanted } satisfies InsurerOrder);
    await next(child, "behaves");
  };
  await behave(behaviour);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid,
    behave,
    async arrivals() {
      child.send({ report: true } satisfies InsurerOrder);
      return [...(await next(child, "arrivedAt")).arrivedAt];
    },
    freeze: () => void child.kill("SIGSTOP"),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Waits for the next report of a kind. */
async function next<Kind extends string>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<InsurerReport, Record<Kind, unknown>>> {
  for (;;) {
    const [said] = await once(child, "message");
    // Its own program says nothing but reports.
    const report = said as InsurerReport;
    if (kind in report) return report as Extract<InsurerReport, Record<Kind, unknown>>;
  }
}
