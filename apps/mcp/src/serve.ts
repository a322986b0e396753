import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Configuration } from "./configuration/configuration.ts";
import { createLog, type Log } from "./log.ts";
import { createServer, type ToolServer } from "./server.ts";

/**
 * Serves an MCP client over standard input and output and ends the process after one of these events:
 * - The input ends: the server answers every request that it received.
 * - SIGTERM or SIGINT arrives, or the client closes the output: the server cancels calls that change nothing and
 * completes submissions that were sent. A second signal ends the process at once.
 * @param version - the version of this package, which the MCP client may show
 */
export async function serve(
  { confirm, gateway, pages, tools }: Configuration,
  version: string,
): Promise<void> {
  const log = createLog();
  logFatalErrors(log);
  const server = createServer({ gateway, tools, pages, confirm, log, version });
  const ended = waitForEnd(server, log);
  await server.connect(new StdioServerTransport());
  log("info", "serving");
  const code = await ended;
  await server.close();
  process.exit(code);
}

/** Resolves with the exit code when the server must stop. */
function waitForEnd(server: ToolServer, log: Log): Promise<number> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(0);
    const answerAndStop = (): void => void answerAll(server).then(stop);
    process.stdin.once("end", answerAndStop);
    process.stdin.once("close", answerAndStop);
    // An error of standard output means that the client has disconnected.
    process.stdout.on("error", stop);
    let signals = 0;
    for (const signal of ["SIGTERM", "SIGINT"])
      process.on(signal, () => {
        signals += 1;
        if (signals === 1) return stop();
        log("warn", "ended immediately; a submission may be in progress");
        process.exit(1);
      });
    // The transport closes itself after an unrecoverable error, such as a message that is too long.
    void server.closed.then(() => resolve(1));
  });
}

/** Answers every received request and waits until the answers are written. */
async function answerAll(server: ToolServer): Promise<void> {
  // The transport handles the last requests, and later writes the answers, in the next turn of the event loop.
  await nextTurn();
  await server.finish();
  await nextTurn();
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Logs only the class of an uncaught error, because its message may contain customer data. */
function logFatalErrors(log: Log): void {
  const end = (error: unknown): void => {
    try {
      log("fatal", "the process failed", {
        code: error instanceof Error ? error.constructor.name : typeof error,
      });
    } finally {
      process.exit(1);
    }
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
