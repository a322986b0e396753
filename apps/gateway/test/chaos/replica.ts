import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayProcess, startGatewayProcess } from "@insurance-gateway/running-gateway";

/** A step of a submission at which the process can kill itself. */
export type KillPoint =
  | "after_claim"
  | "before_send"
  | "after_send"
  | "after_answer"
  | "before_reply";

/** Options for starting a gateway. */
export interface Start {
  /** Step at which the gateway kills itself during its first submission. */
  readonly killAt?: KillPoint;
  /** Time by which the gateway's clock is ahead, in milliseconds. */
  readonly aheadMs?: number;
}

/** A gateway process that can be killed and started again with the same data. */
export interface Replica {
  /** Address of the running gateway; undefined while the gateway does not serve. */
  readonly address: string | undefined;
  /** Starts the gateway, and resolves when it is ready to serve. */
  start(start?: Start): Promise<void>;
  /** Kills the gateway with SIGKILL. Throws if the gateway had already ended. */
  kill(): Promise<void>;
  /** Waits until the gateway has ended by itself, and returns the signal that ended it. */
  ended(): Promise<NodeJS.Signals | null>;
}

/** Name of a file in a replica's data folder. The file contains the time by which the replica's clock is ahead. */
export const CLOCK_FILE = "clock";
/** Name of a file in a deployment's folder. While the file exists, SQLite's disk is full. */
export const FULL_DISK_FILE = "full-disk";

/** Creates a replica that is not started. Its data folder must exist. */
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
      // A running process ignores the signal SIGCONT, so the call only waits for the process's end.
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
