import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayProcess, startGatewayProcess } from "@insurance-gateway/running-gateway";

/** A place on the way of a submission where its process can be ended. */
export type KillPoint =
  | "after_claim"
  | "before_send"
  | "after_send"
  | "after_answer"
  | "before_reply";

/** How a gateway is started. */
export interface Start {
  /** Where it ends itself with the first submission that gets there. */
  readonly killAt?: KillPoint;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
}

/** One gateway as a process, which is killed and started again with the same data. */
export interface Replica {
  /** Undefined while it does not serve. */
  readonly address: string | undefined;
  /** Ready to serve when this resolves. */
  start(start?: Start): Promise<void>;
  /** SIGKILL. Throws when it had ended before by itself: nothing else may end it. */
  kill(): Promise<void>;
  /** Waits until it has ended by itself, and gives by what signal. */
  ended(): Promise<NodeJS.Signals | null>;
}

/** The file in a replica's data folder that says how far its clock is ahead. */
export const CLOCK_FILE = "clock";
/** The file in a deployment's folder that stands for a disk without space while it exists. */
export const FULL_DISK_FILE = "full-disk";

/** Makes one that is not started, with a data folder that exists. */
export function createReplica(
  folder: string,
  data: string,
  environment: Readonly<Record<string, string>>,
): Replica {
  const clockFile = join(folder, data, CLOCK_FILE);
  let running: GatewayProcess | undefined;
  let address: string | undefined;
  return {
    get address() {
      return address;
    },
    async start(start = {}) {
      writeFileSync(clockFile, String(start.aheadMs ?? 0));
      const started = await startGatewayProcess(folder, {
        ...environment,
        GATEWAY_DATA: data,
        CLOCK_FILE: clockFile,
        FULL_DISK: join(folder, FULL_DISK_FILE),
        ...preloadsOf(start),
      });
      started.child.once("exit", () => {
        address = undefined;
      });
      running = started;
      address = started.address;
    },
    async kill() {
      if (running === undefined) return;
      const { child } = running;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`A gateway ended by itself:\n${running.output().slice(-2_000)}`);
      await running.stop("SIGKILL");
      running = undefined;
    },
    async ended() {
      // A running process takes no notice of this signal: it only waits for the end.
      const end = await running?.stop("SIGCONT");
      running = undefined;
      return end?.signal ?? null;
    },
  };
}

function preloadsOf({ killAt }: Start): Readonly<Record<string, string>> {
  const names = [
    "leash",
    "moving-clock",
    "full-disk",
    ...(killAt === undefined ? [] : ["kill-at"]),
  ];
  return {
    NODE_OPTIONS: names.map((name) => `--import=${preloads[name]}`).join(" "),
    ...(killAt === undefined ? {} : { KILL_AT: killAt }),
  };
}

const preloads: Readonly<Record<string, string>> = {
  leash: new URL("./preloads/leash.ts", import.meta.url).href,
  "kill-at": new URL("./preloads/kill-at.ts", import.meta.url).href,
  "moving-clock": new URL("./preloads/moving-clock.ts", import.meta.url).href,
  "full-disk": new URL("./preloads/full-disk.ts", import.meta.url).href,
};
