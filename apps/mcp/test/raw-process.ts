import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { programEnvironment } from "@insurance-gateway/running-gateway";
import { onTestFinished } from "vitest";
import { type McpStartOptions, program } from "./harness/mcp-process.ts";

/** A protocol message of the MCP server. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly structuredContent?: Record<string, unknown> };
  readonly error?: { readonly code: number };
}

/** The built MCP server in a separate process, with a client that writes each protocol message itself. */
export interface RawProcess {
  readonly write: (message: object) => void;
  /** Resolves with the first matching message, received or future. */
  readonly next: (fits: (message: Message) => boolean) => Promise<Message>;
  endInput(): void;
  kill(signal: "SIGTERM" | "SIGINT"): void;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/**
 * Starts the MCP server and sends `initialize` as a client that can ask a person. The end of the test stops the
 * server.
 */
export async function startRaw({
  folder,
  gateway,
  parameters = [],
  token,
}: McpStartOptions): Promise<RawProcess> {
  const child = spawn(process.execPath, [program, ...parameters], {
    cwd: folder,
    env: programEnvironment({ GATEWAY_TOKEN: token, GATEWAY_URL: gateway }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    messages.push(JSON.parse(line) as Message); // The tests check the shape of the messages.
    for (const look of waiting) look();
  });
  const stderr = text(child.stderr);
  const raw: RawProcess = {
    write: (message) =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    next: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = messages.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    ended: once(child, "close").then(async ([code]) => ({ code, stderr: await stderr })),
  };
  raw.write({ id: 0, method: "initialize", params: { ...beginning } });
  await raw.next(({ id }) => id === 0);
  return raw;
}

const beginning = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: {} },
  clientInfo: { name: "by hand", version: "1" },
};
