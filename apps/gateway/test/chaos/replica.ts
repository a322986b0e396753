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

/** Makes one that is not started. */
export function createReplica(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Replica {
  let running: GatewayProcess | undefined;
  let address: string | undefined;
  return {
    get address() {
      return address;
    },
    async start(start = {}) {
      const started = await startGatewayProcess(folder, { ...environment, ...preloadsOf(start) });
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

function preloadsOf({ aheadMs, killAt }: Start): Readonly<Record<string, string>> {
  const names = [
    "leash",
    ...(killAt === undefined ? [] : ["kill-at"]),
    ...(aheadMs === undefined ? [] : ["clock-ahead"]),
  ];
  return {
    NODE_OPTIONS: names.map((name) => `--import=${preloads[name]}`).join(" "),
    ...(killAt === undefined ? {} : { KILL_AT: killAt }),
    ...(aheadMs === undefined ? {} : { CLOCK_AHEAD_MS: String(aheadMs) }),
  };
}

const preloads: Readonly<Record<string, string>> = {
  leash: new URL("./preloads/leash.ts", import.meta.url).href,
  "kill-at": new URL("./preloads/kill-at.ts", import.meta.url).href,
  "clock-ahead": new URL("./preloads/clock-ahead.ts", import.meta.url).href,
};
