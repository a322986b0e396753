import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Logger } from "../logging/logger.ts";
import type { ReloadResult } from "./reload.ts";

/** What a serving process answered to `insurance-gateway reload`. */
export type ProcessAnswer = ReloadResult & { readonly pid: number };

/** The folder of the sockets: one for each serving process, named after it. Only their owner can reach them. */
function folderOf(data: string): string {
  return join(data, "serving");
}

/**
 * Takes the reload command: whoever connects to this process's socket in the data folder gets the result of a reload, as one
 * line of JSON.
 * @returns how to stop
 */
export async function takeReloads(
  data: string,
  reload: () => Promise<ReloadResult>,
  logger: Pick<Logger, "warn">,
): Promise<() => Promise<void>> {
  const path = join(folderOf(data), String(process.pid));
  const server = createServer((socket) => void answer(socket, reload));
  try {
    mkdirSync(folderOf(data), { recursive: true, mode: 0o700 });
    // Of an earlier process with this number.
    rmSync(path, { force: true });
    server.listen(path);
    await once(server, "listening");
  } catch {
    // A folder that has no sockets, or whose path is too long for one: SIGHUP and changed files still count.
    logger.warn("the reload command cannot reach this process");
    return async () => {};
  }
  return async () => {
    await closed(server);
    rmSync(path, { force: true });
  };
}

async function answer(socket: Socket, reload: () => Promise<ReloadResult>): Promise<void> {
  // The client may not wait for the answer.
  socket.on("error", () => socket.destroy());
  const result = await reload();
  socket.end(`${JSON.stringify({ pid: process.pid, ...result })}\n`);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** Has every process reload that serves from a data folder. */
export async function askForReload(data: string): Promise<readonly ProcessAnswer[]> {
  const answers = await Promise.all(socketsIn(data).map((path) => askOne(path)));
  return answers.filter((answer) => answer !== null);
}

function socketsIn(data: string): readonly string[] {
  try {
    return readdirSync(folderOf(data)).map((name) => join(folderOf(data), name));
  } catch {
    // Nothing has served from it.
    return [];
  }
}

/** Null for a process that has ended. */
async function askOne(path: string): Promise<ProcessAnswer | null> {
  const socket = connect(path);
  let text = "";
  try {
    for await (const piece of socket.setEncoding("utf8")) text += String(piece);
    // This program's own answer.
    return text === "" ? null : (JSON.parse(text) as ProcessAnswer);
  } catch {
    return null;
  }
}
