import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Configuration } from "./configuration.ts";
import { createLog, type Log } from "./log.ts";
import { createServer, type ToolServer } from "./server.ts";
import { version } from "./version.ts";

/**
 * Serves an MCP client over standard input and output until it goes away, or until SIGTERM or SIGINT; then the submissions
 * that were sent are finished. Ends the process.
 */
export async function serve({ gateway, tools }: Configuration): Promise<void> {
  const log = createLog();
  endOnUncaught(log);
  const server = createServer({ gateway, tools, log, version: version() });
  const ended = endOf(server);
  await server.connect(new StdioServerTransport());
  log("info", "serving");
  const code = await ended;
  await server.close();
  process.exit(code);
}

/** Resolves with the exit code when there is nobody to serve any more. */
function endOf(server: ToolServer): Promise<number> {
  return new Promise((resolve) => {
    const asked = (): void => resolve(0);
    process.stdin.once("end", asked);
    process.stdin.once("close", asked);
    // The client has gone without a word.
    process.stdout.on("error", asked);
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, asked);
    // The transport closes by itself when it cannot go on, as after a message that is too long.
    void server.closed.then(() => resolve(1));
  });
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
