import type { Worker } from "node:cluster";
import { EXIT_FAILED } from "../command-line/exit-codes.ts";
import type { Asking } from "./asking.ts";
import { handOverAtEnd } from "./handed-connections.ts";
import type { FromProcess, ToProcess } from "./peers.ts";

/** One of the processes that serve. */
export interface StartedProcess {
  /** What a person reads once it serves; null when it has ended before. */
  readonly greeting: Promise<string | null>;
  /** Its exit code. A process that was ended in order before it served has the code 0. */
  readonly ended: Promise<number>;
  /** By `performance.now()`; null until it serves. */
  readonly servingSince: () => number | null;
  readonly isOver: () => boolean;
  /** Its process id, and its exit code, its signal or the error that prevented its start. */
  readonly exit: () => { readonly pid: number; readonly exit: string };
  /** Whether another one takes its place or none is to. */
  isDismissed: boolean;
  send(message: ToProcess): void;
  /** Lets it read its configuration again, at the latest when it serves. */
  reload(): void;
  /** Lets it finish what is in flight and end, because another one serves in its place or all end. */
  end(why: "replaced" | "SIGTERM"): void;
}

/** What a process is started with. */
export interface StartedProcessParts {
  /** Starts a process; the error may be thrown or reported by the worker. */
  readonly fork: () => Worker;
  readonly asking: () => Asking;
  /** Whether another process can take the connections that this one has not accepted when it ends. */
  readonly isAnotherServing: () => boolean;
  /** Does something once, after so many milliseconds. Gives how to cancel it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
  /** It is killed, because it did not serve or end in time. */
  readonly killed: (pid: number) => void;
}

/** A process that does not serve after this time is killed. */
const SERVE_WITHIN_MS = 120_000;
/** What a process may take to end, beyond the time after which it ends itself. */
const END_MARGIN_MS = 10_000;

/** Starts a process. One that cannot be started is over at once. */
export function startProcess(parts: StartedProcessParts): StartedProcess {
  const { after, asking, killed } = parts;
  const greeting = Promise.withResolvers<string | null>();
  const ended = Promise.withResolvers<number>();
  let worker: Worker | null = null;
  let failure: string | null = null;
  let servingSince: number | null = null;
  let isOver = false;
  let isToldToEnd = false;
  let isToReload = false;
  let endsWithinMs = SERVE_WITHIN_MS;
  const kill = (): void => {
    killed(worker?.process.pid ?? 0);
    worker?.process.kill("SIGKILL");
  };
  let cancel = after(SERVE_WITHIN_MS, kill);
  const killAfter = (milliseconds: number): void => {
    cancel();
    cancel = after(milliseconds, kill);
  };

  function over(code: number): void {
    if (isOver) return;
    isOver = true;
    cancel();
    asking().over(started);
    greeting.resolve(null);
    ended.resolve(code);
  }

  function received(message: FromProcess): void {
    if (message.type === "answer") asking().answered(started, message.id, message.answer);
    else if (message.type === "ask")
      void asking()
        .ask(message.name)
        .then((answers) => started.send({ type: "answers", id: message.id, answers }));
    else {
      ({ endsWithinMs } = message);
      if (message.type === "serving") serves(message.greeting);
      else if (isToldToEnd) killAfter(endsWithinMs + END_MARGIN_MS);
    }
  }

  function serves(text: string): void {
    servingSince = performance.now();
    if (isToldToEnd) killAfter(endsWithinMs + END_MARGIN_MS);
    else cancel();
    if (isToReload) worker?.process.kill("SIGHUP");
    greeting.resolve(text);
  }

  function notStarted(error: unknown): void {
    failure = codeOf(error);
    over(EXIT_FAILED);
  }

  const started: StartedProcess = {
    greeting: greeting.promise,
    ended: ended.promise,
    isDismissed: false,
    servingSince: () => servingSince,
    isOver: () => isOver,
    exit() {
      const { exitCode = null, pid = 0, signalCode = null } = worker?.process ?? {};
      return { pid, exit: failure ?? signalCode ?? String(exitCode) };
    },
    send(message) {
      // One that has just ended takes nothing: its exit is reported by itself.
      if (worker?.isConnected() === true) worker.send(message, () => {});
    },
    reload() {
      // Before it serves, it may not listen to the signal yet, which would then kill it.
      if (servingSince === null) isToReload = true;
      else worker?.process.kill("SIGHUP");
    },
    end(why) {
      if (why === "replaced") started.send({ type: "replaced" });
      else worker?.process.kill("SIGTERM");
      // The time for its start goes on: it may have to start before it can end.
      if (!isToldToEnd && servingSince !== null) killAfter(endsWithinMs + END_MARGIN_MS);
      isToldToEnd = true;
    },
  };
  try {
    worker = parts.fork();
  } catch (error) {
    notStarted(error);
    return started;
  }
  const { process: forked } = worker;
  worker.on("message", received);
  // No exit follows a start that failed. Any other error of a process that runs is followed by its exit, or is none.
  worker.on("error", (error) => {
    if (forked.pid === undefined) notStarted(error);
  });
  handOverAtEnd(worker, parts.isAnotherServing);
  worker.once("exit", (code, signal) => {
    const isOrdered = isToldToEnd && servingSince === null && isEndSignal(signal);
    over(signal === null ? code : isOrdered ? 0 : EXIT_FAILED);
  });
  return started;
}

function isEndSignal(signal: string): boolean {
  return signal === "SIGTERM" || signal === "SIGINT";
}

/** The code of a system error, such as `ENOENT`. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "EUNKNOWN";
}
