import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { programEnvironment } from "@insurance-gateway/running-gateway";
import { onTestFinished } from "vitest";
import { program, type Start } from "./harness/mcp-process.ts";

/** A message of the server. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly structuredContent?: Record<string, unknown> };
  readonly error?: { readonly code: number };
}

/** The built server in a process of its own, and a client whose every line is written by hand. */
export interface RawProcess {
  readonly write: (message: object) => void;
  /** Resolves with the first message that fits, past or to come. */
  readonly next: (fits: (message: Message) => boolean) => Promise<Message>;
  endInput(): void;
  kill(signal: "SIGTERM" | "SIGINT"): void;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts it and begins; the client can ask its person. It ends with the test. */
export async function startRaw({
  folder,
  gateway,
  parameters = [],
  token,
}: Start): Promise<RawProcess> {
  const child = spawn(process.execPath, [program, ...parameters], {
    cwd: folder,
    env: programEnvironment({ GATEWAY_TOKEN: token, GATEWAY_URL: gateway }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    messages.push(JSON.parse(line) as Message); // The tests check the form of the messages.
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
