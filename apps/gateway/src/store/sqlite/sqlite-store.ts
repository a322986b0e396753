import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { FILES_MOVED, StoreRefusedError, StoreUnavailableError } from "../faults.ts";
import type { SubmissionStore } from "../store.ts";
import { createStore, type Operation } from "../store-of.ts";
import { transactionsOf } from "../transactions.ts";
import { sqlite } from "./sqlite-dialect.ts";
import { realPathOf, rememberFiles } from "./sqlite-files.ts";
import type {
  OperationReply,
  WorkerMessage,
  WorkerReply,
  WorkerRequest,
  WorkerSettings,
} from "./worker-messages.ts";

/**
 * Opens the store in a file. A separate thread runs the operations, and writes simultaneous operations with one flush.
 * If the thread dies, the next operation starts another thread.
 * @throws StoreRefusedError if another gateway serves from the file, or a newer gateway wrote it
 */
export async function openSqliteStore(settings: WorkerSettings): Promise<SubmissionStore> {
  const isServing = settings.mode === "serve";
  if (isServing && settings.mustExist !== true)
    mkdirSync(dirname(settings.file), { recursive: true });
  let thread: StoreThread | undefined = await startThread(settings);
  const releaseName = isServing ? await reserveName(thread, settings.file) : async () => {};
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
    // A running thread receives the operation at once. The thread therefore closes only after all earlier operations.
    if (thread !== undefined) return thread.ask(name, parameters);
    starting ??= restart();
    return (await starting).ask(name, parameters);
  };
  return createStore(transactionsOf(sqlite), run, {
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
 * Reserves the store's name on this machine, so that a gateway with a copy of the store on this machine is refused.
 * The name is a socket without a file, which only Linux has, and which ends when the process ends.
 * @throws StoreRefusedError if a gateway serves from another copy of the store
 */
async function reserveName(thread: StoreThread, file: string): Promise<() => Promise<void>> {
  if (process.platform !== "linux") return async () => {};
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen({ path: `\0insurance-gateway-store-${thread.id}`, exclusive: true });
    await once(server, "listening");
  } catch {
    await thread.close();
    throw new StoreRefusedError(
      `A gateway on this machine serves from another copy of the store in ${file}: both would send the same submissions. Stop that gateway. To serve from this copy, mark it with \`insurance-gateway submissions mark-restored\` first; \`insurance-gateway store copy\` makes a copy that needs no mark.`,
    );
  }
  return async () => {
    server.close();
    await once(server, "close");
  };
}

/** The thread that owns the connection to the database. */
type StoreThread = Awaited<ReturnType<typeof startThread>>;

/** Longest wait for an operation if the disk hangs, in milliseconds. The data may be written even after this time. */
const OPERATION_TIMEOUT_MS = 10_000;
/**
 * Memory of the SQLite thread for new objects, which are small and short-lived, in MB. With V8's default of 48 MB, a
 * gateway under load would need 22 MB more, and the same processor time.
 */
const YOUNG_GENERATION_MB = 4;

/**
 * Starts the thread, and waits until the file is open.
 * @throws StoreRefusedError if the file must not be used, StoreUnavailableError if the thread cannot run
 */
async function startThread(settings: WorkerSettings) {
  const worker = new Worker(workerFile(), {
    workerData: settings,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting = new Map<number, PendingOperation>();
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
      for (const one of reply) settlePending(waiting, one);
      const [first] = reply;
      isMoved = first !== undefined && "unavailable" in first && first.unavailable === FILES_MOVED;
    }
  });
  // The log gets only the kind of the error, because the error's message may contain values.
  worker.once("error", (error) => end(`the thread failed: ${errorKindOf(error)}`));
  worker.once("exit", () => end("the thread has ended"));
  const id = await opened.promise;
  let turn: WorkerRequest[] = [];
  const send = (order: WorkerMessage): void => worker.postMessage(order);
  // All requests of one turn of the event loop are one message, because each message wakes the thread and is copied.
  // One message for each request would need ten times as long.
  const sendTurn = (): void => {
    const requests = turn;
    turn = [];
    if (requests.length > 0 && failure === undefined) send(requests);
  };
  return {
    /** The id of the store. */
    id,
    /** Runs an operation on the thread, and returns the operation's result. */
    ask(name: string, parameters: readonly unknown[]): Promise<unknown> {
      if (failure !== undefined)
        return Promise.reject(new StoreUnavailableError(failure.detail, false));
      const number = ++last;
      const reply = Promise.withResolvers<unknown>();
      const late = setTimeout(() => {
        waiting.delete(number);
        reply.reject(new StoreUnavailableError("timeout", true));
      }, OPERATION_TIMEOUT_MS);
      waiting.set(number, { reply, late });
      if (turn.length === 0) setImmediate(sendTurn);
      turn.push({ number, name, parameters });
      return reply.promise;
    },
    /** Waits for the requested operations, and then ends the thread. */
    async close(): Promise<void> {
      sendTurn();
      if (failure === undefined) send("close");
      await ended.promise;
    },
    /** True if the thread has ended, for any reason. */
    get hasEnded() {
      return failure !== undefined;
    },
    /** True if the thread's last reply reported that the files are not at their paths. */
    get isMoved() {
      return isMoved;
    },
  };
}

/** A requested operation, and the timer that ends the wait for the operation's result. */
interface PendingOperation {
  readonly reply: PromiseWithResolvers<unknown>;
  readonly late: NodeJS.Timeout;
}

function settlePending(waiting: Map<number, PendingOperation>, replied: OperationReply): void {
  const asked = waiting.get(replied.number);
  if (asked === undefined) return;
  waiting.delete(replied.number);
  clearTimeout(asked.late);
  if ("result" in replied) asked.reply.resolve(replied.result);
  else asked.reply.reject(new StoreUnavailableError(replied.unavailable, replied.mayBeWritten));
}

function errorKindOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}

/** Returns the file with the thread's program: TypeScript in tests, JavaScript after the build. */
function workerFile(): string | URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : createRequire(import.meta.url).resolve("#sqlite-worker");
}
