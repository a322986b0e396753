import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnavailableError, type SubmissionStore } from "../store.ts";
import { type RunTransaction, storeOf } from "../store-of.ts";
import type { WorkerSettings } from "./messages.ts";
import { type StoreThread, startThread } from "./thread.ts";

/**
 * Opens the store in a file, in a thread of its own that writes what has come together in one flush. Should the thread
 * die, the next operation starts another one.
 * @throws StoreRefusedError when another gateway serves from the file, or a newer one wrote it
 */
export async function openSqliteStore(settings: WorkerSettings): Promise<SubmissionStore> {
  if (settings.mode === "serve") mkdirSync(dirname(settings.file), { recursive: true });
  let thread: StoreThread | undefined = await startThread(settings);
  let starting: Promise<StoreThread> | undefined;
  let closed = false;
  const startAnew = async (): Promise<StoreThread> => {
    try {
      thread = await startThread(settings);
      return thread;
    } catch (error) {
      throw new StoreUnavailableError(error instanceof Error ? error.message : "unknown", false);
    } finally {
      starting = undefined;
    }
  };
  const run = async (name: string, ...parameters: readonly unknown[]): Promise<unknown> => {
    if (closed) throw new StoreUnavailableError("closed", false);
    if (thread?.over === true) thread = undefined;
    // At once where it runs, so that closing comes after everything that was asked before.
    if (thread !== undefined) return thread.ask(name, parameters);
    starting ??= startAnew();
    return (await starting).ask(name, parameters);
  };
  // The reply to an operation is what the operation gives.
  return storeOf(run as RunTransaction, {
    shared: false,
    async close() {
      closed = true;
      await starting?.catch(() => {});
      await thread?.close();
    },
  });
}
