import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreRefusedError, StoreUnavailableError, type SubmissionStore } from "../store.ts";
import type { RunOperation } from "../store-of.ts";
import { storeOf } from "../store-of.ts";
import type { WorkerReply, WorkerSettings } from "./messages.ts";

/**
 * Opens the store in a file, in a thread of its own that writes what has come together in one flush.
 * @throws StoreRefusedError when another gateway serves from the file, or a newer one wrote it
 */
export async function openSqliteStore(settings: WorkerSettings): Promise<SubmissionStore> {
  mkdirSync(dirname(settings.file), { recursive: true });
  const worker = new Worker(workerFile(), { workerData: settings });
  const run = await opened(worker);
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
  });
  return storeOf(run, {
    shared: false,
    async close() {
      worker.postMessage("close");
      await ended;
    },
  });
}

/** Waits until the file is open, then passes operations on and hands out their replies. */
function opened(worker: Worker): Promise<RunOperation> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  let over = false;
  const run = (name: string, ...parameters: readonly unknown[]): Promise<unknown> => {
    if (over) return Promise.reject(new StoreUnavailableError("closed", false));
    const reply = Promise.withResolvers<unknown>();
    waiting.set(++last, reply);
    worker.postMessage({ number: last, name, parameters });
    return reply.promise;
  };
  return new Promise((resolve, reject) => {
    const end = (detail: string): void => {
      over = true;
      const unavailable = new StoreUnavailableError(detail, true);
      reject(unavailable);
      for (const reply of waiting.values()) reply.reject(unavailable);
      waiting.clear();
    };
    worker.on("message", (reply: WorkerReply) => {
      // The reply to an operation is what the operation gives.
      if ("opened" in reply) resolve(run as RunOperation);
      else if ("refused" in reply) reject(new StoreRefusedError(reply.refused));
      else answer(waiting, reply);
    });
    worker.once("error", () => end("the thread failed"));
    worker.once("exit", () => end("the thread has ended"));
  });
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

/** The thread's program: TypeScript beside this file where the tests run the sources, JavaScript where it is built. */
function workerFile(): string | URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : createRequire(import.meta.url).resolve("#sqlite-worker");
}
