import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Configuration } from "./configuration.ts";
import { createLog, type Log } from "./log.ts";
import { createServer, type ToolServer } from "./server.ts";
import { version } from "./version.ts";

/**
 * Serves an MCP client over standard input and output. At the end of its input it answers what it got; at SIGTERM or SIGINT,
 * or when nobody reads its answers, it gives up what changes nothing. Either way, the submissions that were sent are
 * finished, unless a second signal comes. Ends the process.
 */
export async function serve({ confirm, gateway, tools }: Configuration): Promise<void> {
  const log = createLog();
  endOnUncaught(log);
  const server = createServer({ gateway, tools, confirm, log, version: version() });
  const ended = endOf(server, log);
  await server.connect(new StdioServerTransport());
  log("info", "serving");
  const code = await ended;
  await server.close();
  process.exit(code);
}

/** Resolves with the exit code when there is nobody to serve any more. */
function endOf(server: ToolServer, log: Log): Promise<number> {
  return new Promise((resolve) => {
    const asked = (): void => resolve(0);
    const answered = (): void => void answerAll(server).then(asked);
    process.stdin.once("end", answered);
    process.stdin.once("close", answered);
    // The client has gone without a word.
    process.stdout.on("error", asked);
    let signals = 0;
    for (const signal of ["SIGTERM", "SIGINT"])
      process.on(signal, () => {
        signals += 1;
        if (signals === 1) return asked();
        log("warn", "ended at once; a submission may be under way");
        process.exit(1);
      });
    // The transport closes by itself when it cannot go on, as after a message that is too long.
    void server.closed.then(() => resolve(1));
  });
}

/** Answers every request that has come, and writes the answers out. */
async function answerAll(server: ToolServer): Promise<void> {
  // The last requests begin, and after their answers the last lines are written, a turn later.
  await turn();
  await server.finish();
  await turn();
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Node itself would print the error's words, which may quote a customer; the log gets its kind. */
function endOnUncaught(log: Log): void {
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
