import cluster, { type Worker } from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { EXIT_FAILED } from "../command-line/exit-codes.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Environment } from "../configuration/load.ts";
import type { Logger } from "../logging/logger.ts";
import { newStartSecret } from "../reference/development-token.ts";
import { type FromProcess, type OwnAnswers, START_SECRET, type ToProcess } from "./peers.ts";

/** What a process may take to answer a question of another one, in milliseconds. */
const ANSWER_WITHIN_MS = 2_000;
/** A process that has served for so long did not end because of its start. */
const STABLE_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** One of the processes that serve. */
interface Serving {
  readonly worker: Worker;
  /** What a person reads once it serves; null when it has ended before. */
  readonly greeting: Promise<string | null>;
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** By `performance.now()`; null until it serves. */
  servingSince: number | null;
  /** Whether another one takes its place or none is to. */
  isDismissed: boolean;
  isOver: boolean;
}

/**
 * Starts so many processes that serve behind one port, and replaces each that ends, until SIGTERM or SIGINT.
 *
 * The listening socket is this process's own: while a process is replaced, connections wait for the others. SIGHUP goes on
 * to all of them. SIGUSR2 replaces them one after another: each new one serves before the one that it replaces finishes
 * what is in flight.
 * @returns the exit code, once all have ended
 * @throws ConfigurationError without PostgreSQL
 */
export async function supervise(
  count: number,
  environment: Environment,
  logger: Logger,
): Promise<number> {
  refuseFile(environment);
  // Sockets of the processes' own would lose, when one closes, the connections that wait at it.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const secret = newStartSecret();
  const all = new Set<Serving>();
  const asking = createAsking(() => [...all].filter(({ servingSince }) => servingSince !== null));
  let isEnding = false;
  let failuresInRow = 0;

  function start(): Serving {
    const started = startProcess({ [START_SECRET]: secret }, asking);
    all.add(started);
    void started.ended.then(() => {
      all.delete(started);
      if (!started.isDismissed && !isEnding) void replaceEnded(started);
    });
    return started;
  }

  async function replaceEnded({ servingSince, worker }: Serving): Promise<void> {
    const lasted = servingSince === null ? 0 : performance.now() - servingSince;
    failuresInRow = lasted > STABLE_MS ? 1 : failuresInRow + 1;
    const waitMs =
      failuresInRow === 1 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failuresInRow - 2), LONGEST_WAIT_MS);
    const { exitCode, pid = 0, signalCode } = worker.process;
    logger.error(
      { pid, exit: signalCode ?? String(exitCode), waitMs },
      "a process ended and is replaced",
    );
    await wait(waitMs);
    if (!isEnding) start();
  }

  async function replaceAll(): Promise<void> {
    for (const old of [...all].filter(({ isDismissed }) => !isDismissed)) {
      if (isEnding || old.isOver) continue;
      old.isDismissed = true;
      const next = start();
      next.isDismissed = true;
      const isServing = (await next.greeting) !== null;
      next.isDismissed = false;
      if (!isServing) {
        old.isDismissed = false;
        if (old.isOver) void replaceEnded(old);
        logger.error("the processes were not replaced; the previous ones stay in use");
        return;
      }
      send(old.worker, { type: "replaced" });
      await old.ended;
    }
    logger.info("the processes were replaced");
  }

  let isReplacing = false;
  process.on("SIGUSR2", () => {
    if (isReplacing) return;
    isReplacing = true;
    void replaceAll().finally(() => {
      isReplacing = false;
    });
  });
  process.on("SIGHUP", () => {
    for (const { worker } of all) worker.process.kill("SIGHUP");
  });
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"])
    process.on(signal, () => {
      isEnding = true;
      for (const one of all) end(one);
      ask();
    });

  // One alone first: it prepares the data folder and the store, and what it refuses is printed once.
  const first = start();
  first.isDismissed = true;
  const greeting = await first.greeting;
  if (greeting === null) return first.ended;
  first.isDismissed = false;
  if (!isEnding) {
    const others = Array.from({ length: count - 1 }, start);
    await Promise.all(others.map((other) => other.greeting));
    if (!isEnding) process.stdout.write(greeting);
  }
  await asked;
  const codes = await Promise.all([...all].map(({ ended }) => ended));
  return Math.max(0, ...codes);
}

/** A file has one process that serves from it. */
function refuseFile({ DATABASE_URL }: Environment): void {
  if (DATABASE_URL !== undefined && DATABASE_URL !== "") return;
  throw new ConfigurationError("--processes", [
    "DATABASE_URL (environment): must name a PostgreSQL database; several processes cannot serve from a SQLite file",
  ]);
}

function end({ worker }: Serving): void {
  worker.process.kill("SIGTERM");
}

function startProcess(own: Readonly<Record<string, string>>, asking: Asking): Serving {
  const worker = cluster.fork(own);
  const greeting = Promise.withResolvers<string | null>();
  const ended = Promise.withResolvers<number>();
  const started: Serving = {
    worker,
    greeting: greeting.promise,
    ended: ended.promise,
    servingSince: null,
    isDismissed: false,
    isOver: false,
  };
  worker.on("message", (message: FromProcess) => {
    if (message.type === "serving") {
      started.servingSince = performance.now();
      greeting.resolve(message.greeting);
    } else if (message.type === "answer") asking.answered(worker, message.id, message.answer);
    else
      void asking.ask(message.name).then((answers) => {
        send(worker, { type: "answers", id: message.id, answers });
      });
  });
  worker.once("exit", (code, signal) => {
    started.isOver = true;
    asking.over(worker);
    greeting.resolve(null);
    ended.resolve(signal === null ? code : EXIT_FAILED);
  });
  return started;
}

/** Passes a question of one process on to all of them, and their answers back. */
interface Asking {
  ask(name: keyof OwnAnswers): Promise<readonly unknown[]>;
  answered(worker: Worker, id: number, answer: unknown): void;
  /** It answers nothing any more. */
  over(worker: Worker): void;
}

function createAsking(serving: () => readonly Serving[]): Asking {
  const questions = new Map<number, Map<Worker, (answer: unknown) => void>>();
  let last = 0;
  return {
    async ask(name) {
      last += 1;
      const id = last;
      const waiting = new Map<Worker, (answer: unknown) => void>();
      questions.set(id, waiting);
      const late = setTimeout(() => {
        for (const answer of waiting.values()) answer(undefined);
      }, ANSWER_WITHIN_MS);
      const answers = serving().map(({ worker }) => {
        const { promise, resolve } = Promise.withResolvers<unknown>();
        waiting.set(worker, resolve);
        send(worker, { type: "question", id, name });
        return promise;
      });
      const given = await Promise.all(answers);
      clearTimeout(late);
      questions.delete(id);
      return given.filter((answer) => answer !== undefined);
    },
    answered: (worker, id, answer) => questions.get(id)?.get(worker)?.(answer),
    over(worker) {
      for (const waiting of questions.values()) waiting.get(worker)?.(undefined);
    },
  };
}

function send(worker: Worker, message: ToProcess): void {
  // One that has just ended takes nothing: its exit is reported by itself.
  if (worker.isConnected()) worker.send(message, () => {});
}
