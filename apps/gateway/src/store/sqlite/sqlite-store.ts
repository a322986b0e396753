import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { FILES_MOVED, StoreRefusedError, StoreUnavailableError } from "../faults.ts";
import type { SubmissionStore } from "../store.ts";
import { type Operation, storeOf } from "../store-of.ts";
import { transactionsOf } from "../transactions.ts";
import { sqlite } from "./sqlite-dialect.ts";
import { realPathOf, rememberFiles } from "./sqlite-files.ts";
import type {
  OperationReply,
  WorkerOrder,
  WorkerReply,
  WorkerRequest,
  WorkerSettings,
} from "./worker-messages.ts";

/**
 * Opens the store in a file, in a thread of its own that writes what has come together in one flush. Should the thread
 * die, the next operation starts another one.
 * @throws StoreRefusedError when another gateway serves from the file, or a newer one wrote it
 */
export async function openSqliteStore(settings: WorkerSettings): Promise<SubmissionStore> {
  const isServing = settings.mode === "serve";
  if (isServing && settings.mustExist !== true)
    mkdirSync(dirname(settings.file), { recursive: true });
  let thread: StoreThread | undefined = await startThread(settings);
  const releaseName = isServing ? await takeName(thread, settings.file) : async () => {};
  let starting: Promise<StoreThread> | undefined;
  let closed = false;
  const isInPlace = rememberFiles(realPathOf(settings.file), [""]);
  const restart = async (): Promise<StoreThread> => {
    try {
      if (!isInPlace()) throw new StoreUnavailableError(FILES_MOVED, false);
      thread = await startThread(settings);
      return thread;
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      throw new StoreUnavailableError(error instanceof Error ? error.message : "unknown", false);
    } finally {
      starting = undefined;
    }
  };
  const run = async ({ name, parameters }: Operation): Promise<unknown> => {
    if (closed) throw new StoreUnavailableError("closed", false);
    if (thread?.hasEnded === true) thread = undefined;
    // At once where it runs, so that closing comes after everything that was asked before.
    if (thread !== undefined) return thread.ask(name, parameters);
    starting ??= restart();
    return (await starting).ask(name, parameters);
  };
  return storeOf(transactionsOf(sqlite), run, {
    shared: false,
    isMoved: () => thread?.isMoved ?? !isInPlace(),
    async close() {
      closed = true;
      await starting?.catch(() => {});
      await thread?.close();
      await releaseName();
    },
  });
}

/**
 * Takes the name of a store on this machine, so that a copy of the store beside it is noticed. Linux alone has such names: a
 * socket without a file, which ends with its process.
 * @throws StoreRefusedError when a gateway serves from another copy
 */
async function takeName(thread: StoreThread, file: string): Promise<() => Promise<void>> {
  if (process.platform !== "linux") return async () => {};
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen({ path: `\0insurance-gateway-store-${thread.id}`, exclusive: true });
    await once(server, "listening");
  } catch {
    await thread.close();
    throw new StoreRefusedError(
      `A gateway on this machine serves from the store that ${file} is a copy of, or from another copy of it: both would send the same submissions. Stop that gateway. To serve from this copy, mark it with \`insurance-gateway submissions mark-restored\` first; \`insurance-gateway store copy\` makes one that needs no mark.`,
    );
  }
  return async () => {
    server.close();
    await once(server, "close");
  };
}

/** The thread that owns the connection. */
type StoreThread = Awaited<ReturnType<typeof startThread>>;

/** A disk that hangs must not make callers wait longer; after this time it is not known whether the data were written. */
const LONGEST_WAIT_MS = 10_000;
/**
 * The thread's memory for new objects, which are small and short-lived. With V8's own limit of 48 MB, a gateway under load
 * needs 22 MB more and no less processor time.
 */
const YOUNG_MB = 4;

/**
 * Starts the thread and waits until the file is open.
 * @throws StoreRefusedError when the file must not be used, StoreUnavailableError when the thread cannot run
 */
async function startThread(settings: WorkerSettings) {
  const worker = new Worker(workerFile(), {
    workerData: settings,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const waiting = new Map<number, Asked>();
  const opened = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let failure: StoreUnavailableError | undefined;
  let last = 0;
  let isMoved = false;
  const end = (detail: string): void => {
    failure ??= new StoreUnavailableError(detail, true);
    opened.reject(failure);
    for (const { late, reply } of waiting.values()) {
      clearTimeout(late);
      reply.reject(failure);
    }
    waiting.clear();
    ended.resolve();
  };
  worker.on("message", (reply: WorkerReply) => {
    if ("opened" in reply) opened.resolve(reply.opened);
    else if ("refused" in reply) opened.reject(new StoreRefusedError(reply.refused));
    else if ("unopened" in reply) opened.reject(new StoreUnavailableError(reply.unopened, false));
    else {
      for (const one of reply) answer(waiting, one);
      const [first] = reply;
      isMoved = first !== undefined && "unavailable" in first && first.unavailable === FILES_MOVED;
    }
  });
  // Its kind alone: its words may quote values.
  worker.once("error", (error) => end(`the thread failed: ${kindOf(error)}`));
  worker.once("exit", () => end("the thread has ended"));
  const id = await opened.promise;
  let turn: WorkerRequest[] = [];
  const send = (order: WorkerOrder): void => worker.postMessage(order);
  // A message wakes the thread and is copied with what describes it: one for a turn takes a tenth of what one for each takes.
  const sendTurn = (): void => {
    const requests = turn;
    turn = [];
    if (requests.length > 0 && failure === undefined) send(requests);
  };
  return {
    /** The id of the store. */
    id,
    /** Runs an operation on the thread and returns its result. */
    ask(name: string, parameters: readonly unknown[]): Promise<unknown> {
      if (failure !== undefined)
        return Promise.reject(new StoreUnavailableError(failure.detail, false));
      const number = ++last;
      const reply = Promise.withResolvers<unknown>();
      const late = setTimeout(() => {
        waiting.delete(number);
        reply.reject(new StoreUnavailableError("timeout", true));
      }, LONGEST_WAIT_MS);
      waiting.set(number, { reply, late });
      if (turn.length === 0) setImmediate(sendTurn);
      turn.push({ number, name, parameters });
      return reply.promise;
    },
    /** Waits for the operations that were requested, then ends the thread. */
    async close(): Promise<void> {
      sendTurn();
      if (failure === undefined) send("close");
      await ended.promise;
    },
    /** Whether it has ended, for whatever reason. */
    get hasEnded() {
      return failure !== undefined;
    },
    /** Whether the last reply was that the files are not in their places. */
    get isMoved() {
      return isMoved;
    },
  };
}

/** An operation that was asked for, and the timer that ends the wait for it. */
interface Asked {
  readonly reply: PromiseWithResolvers<unknown>;
  readonly late: NodeJS.Timeout;
}

function answer(waiting: Map<number, Asked>, replied: OperationReply): void {
  const asked = waiting.get(replied.number);
  if (asked === undefined) return;
  waiting.delete(replied.number);
  clearTimeout(asked.late);
  if ("result" in replied) asked.reply.resolve(replied.result);
  else asked.reply.reject(new StoreUnavailableError(replied.unavailable, replied.mayBeWritten));
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
