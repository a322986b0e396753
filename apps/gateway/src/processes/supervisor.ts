import cluster, { type Worker } from "node:cluster";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Environment } from "../configuration/load.ts";
import type { Logger } from "../logging/logger.ts";
import { newStartSecret } from "../reference/development-token.ts";
import { createAsking } from "./asking.ts";
import { START_SECRET } from "./peers.ts";
import { type StartedProcess, type StartedProcessParts, startProcess } from "./started-process.ts";

/** A process that has served for so long did not end because of its start. */
const STABLE_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** What a supervisor uses of the system; a test puts its own in the place. */
export interface SupervisorParts extends Pick<StartedProcessParts, "after"> {
  readonly fork: (environment: Readonly<Record<string, string>>) => Worker;
  /** Where signals to this process arrive. */
  readonly signals: { on(signal: string, received: () => void): unknown };
  /** Shows what a person reads once all processes serve. */
  readonly print: (text: string) => void;
}

const systemParts: SupervisorParts = {
  fork: (environment) => cluster.fork(environment),
  signals: process,
  print: (text) => process.stdout.write(text),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Starts so many processes that serve behind one port, and replaces each that ends, until SIGTERM or SIGINT.
 *
 * The listening socket is this process's own: while a process is replaced, connections wait for the others. SIGHUP goes on
 * to all of them. SIGUSR2 replaces them one after another: each new one serves before the one that it replaces finishes
 * what is in flight. A process that does not serve or end in time is killed.
 * @returns the exit code, once all have ended
 * @throws ConfigurationError without PostgreSQL
 */
export async function supervise(
  count: number,
  environment: Environment,
  logger: Logger,
  { after, fork, print, signals }: SupervisorParts = systemParts,
): Promise<number> {
  refuseFile(environment);
  // Sockets of the processes' own would lose, when one closes, the connections that wait at it.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const secret = newStartSecret();
  const all = new Set<StartedProcess>();
  const asking = createAsking(() => [...all].filter(isServing));
  let isEnding = false;
  let failuresInRow = 0;

  function start(isDismissed = false): StartedProcess {
    const started = startProcess({
      fork: () => fork({ [START_SECRET]: secret }),
      asking: () => asking,
      isAnotherServing: () => [...all].some((one) => one !== started && isServing(one)),
      after,
      killed: (pid) => logger.error({ pid }, "a process did not start or end in time"),
    });
    started.isDismissed = isDismissed;
    all.add(started);
    void started.ended.then(() => {
      all.delete(started);
      if (!started.isDismissed && !isEnding) replaceEnded(started);
    });
    return started;
  }

  function replaceEnded(ended: StartedProcess): void {
    const servingSince = ended.servingSince();
    const lasted = servingSince === null ? 0 : performance.now() - servingSince;
    failuresInRow = lasted > STABLE_MS ? 1 : failuresInRow + 1;
    const waitMs =
      failuresInRow === 1 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failuresInRow - 2), LONGEST_WAIT_MS);
    logger.error({ ...ended.exit(), waitMs }, "a process ended and is replaced");
    after(waitMs, () => {
      if (!isEnding) start();
    });
  }

  async function replaceAll(): Promise<void> {
    if (isEnding) return;
    for (const old of [...all].filter(({ isDismissed }) => !isDismissed)) {
      if (old.isOver()) continue;
      old.isDismissed = true;
      const next = start(true);
      const hasStarted = (await next.greeting) !== null;
      if (isEnding) return;
      if (!hasStarted) {
        old.isDismissed = false;
        if (old.isOver()) replaceEnded(old);
        logger.error(next.exit(), "the processes were not replaced; the previous ones stay in use");
        return;
      }
      next.isDismissed = false;
      old.end("replaced");
      await old.ended;
      if (isEnding) return;
    }
    logger.info("the processes were replaced");
  }

  // Replacements are done one after the other, the first one after the start.
  let isBusy = true;
  let isReplacementDue = false;
  async function replaceWhileDue(): Promise<void> {
    isBusy = true;
    while (isReplacementDue) {
      isReplacementDue = false;
      await replaceAll();
    }
    isBusy = false;
  }
  signals.on("SIGUSR2", () => {
    isReplacementDue = true;
    if (!isBusy) void replaceWhileDue();
  });
  signals.on("SIGHUP", () => {
    for (const one of all) one.reload();
  });
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"])
    signals.on(signal, () => {
      isEnding = true;
      for (const one of all) one.end("SIGTERM");
      ask();
    });

  // One alone first: it prepares the data folder and the store, and what it refuses is printed once.
  const first = start(true);
  const greeting = await first.greeting;
  if (greeting === null) {
    const { exit, pid } = first.exit();
    // A process that has run has said itself why it ended.
    if (pid === 0) logger.error({ exit }, "a process cannot be started");
    return first.ended;
  }
  first.isDismissed = false;
  if (!isEnding) {
    const others = Array.from({ length: count - 1 }, () => start());
    await Promise.all(others.map((other) => other.greeting));
    if (!isEnding) print(greeting);
  }
  void replaceWhileDue();
  await asked;
  const codes = await Promise.all([...all].map(({ ended }) => ended));
  return Math.max(0, ...codes);
}

function isServing(one: StartedProcess): boolean {
  return one.servingSince() !== null && !one.isOver();
}

/** A file has one process that serves from it. */
function refuseFile({ DATABASE_URL }: Environment): void {
  if (DATABASE_URL !== undefined && DATABASE_URL !== "") return;
  throw new ConfigurationError("--processes", [
    "DATABASE_URL (environment): must name a PostgreSQL database; several processes cannot serve from a SQLite file",
  ]);
}
