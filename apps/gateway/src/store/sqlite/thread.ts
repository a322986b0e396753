import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { StoreRefusedError, StoreUnavailableError } from "../store.ts";
import type { WorkerReply, WorkerSettings } from "./messages.ts";

/** The thread that owns the connection. */
export interface StoreThread {
  /** Asks for an operation; its reply is what the operation gives. */
  ask(name: string, parameters: readonly unknown[]): Promise<unknown>;
  /** Lets what it was asked come to its end, then ends it. */
  close(): Promise<void>;
  /** Whether it has ended, however it came to that. */
  readonly over: boolean;
}

/** A disk that hangs must not keep callers waiting: after this long, what was asked may or may not be written. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Starts the thread and waits until the file is open.
 * @throws StoreRefusedError when the file must not be used, StoreUnavailableError when the thread cannot run
 */
export async function startThread(settings: WorkerSettings): Promise<StoreThread> {
  const worker = new Worker(workerFile(), { workerData: settings });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let over: StoreUnavailableError | undefined;
  let last = 0;
  const end = (detail: string): void => {
    over ??= new StoreUnavailableError(detail, true);
    opened.reject(over);
    for (const reply of waiting.values()) reply.reject(over);
    waiting.clear();
    ended.resolve();
  };
  worker.on("message", (reply: WorkerReply) => {
    if ("opened" in reply) opened.resolve();
    else if ("refused" in reply) opened.reject(new StoreRefusedError(reply.refused));
    else answer(waiting, reply);
  });
  // Its kind alone: its words may quote values.
  worker.once("error", (error) => end(`the thread failed: ${kindOf(error)}`));
  worker.once("exit", () => end("the thread has ended"));
  await opened.promise;
  return {
    ask(name, parameters) {
      if (over !== undefined) return Promise.reject(new StoreUnavailableError(over.detail, false));
      const number = ++last;
      const reply = Promise.withResolvers<unknown>();
      waiting.set(number, reply);
      worker.postMessage({ number, name, parameters });
      const late = setTimeout(() => {
        waiting.delete(number);
        reply.reject(new StoreUnavailableError("timeout", true));
      }, LONGEST_WAIT_MS);
      return reply.promise.finally(() => clearTimeout(late));
    },
    async close() {
      if (over === undefined) worker.postMessage("close");
      await ended.promise;
    },
    get over() {
      return over !== undefined;
    },
  };
}

function answer(
  waiting: Map<number, PromiseWithResolvers<unknown>>,
  reply: Extract<WorkerReply, { readonly number: number }>,
): void {
  const call = waiting.get(reply.number);
  waiting.delete(reply.number);
  if ("result" in reply) call?.resolve(reply.result);
  else call?.reject(new StoreUnavailableError(reply.unavailable, false));
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}

/** The thread's program: TypeScript beside this file where the tests run the sources, JavaScript where it is built. */
function workerFile(): string | URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : createRequire(import.meta.url).resolve("#sqlite-worker");
}
