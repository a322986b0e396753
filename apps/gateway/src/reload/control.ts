import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Logger } from "../operator/logging/logger.ts";
import type { ReloadResult } from "./reload.ts";

/** The commands that another program can send to a running gateway process. */
export interface ProcessCommands {
  reload(): Promise<ReloadResult>;
  /** Deletes the cached answers of lookups. */
  dropLookups(): Promise<{ readonly dropped: number }>;
}

/** Result of a command, with the id of the process that executed it. */
export type ProcessAnswer<Name extends keyof ProcessCommands> = Awaited<
  ReturnType<ProcessCommands[Name]>
> & {
  readonly pid: number;
};

/**
 * Returns the folder of the Unix sockets. Each running process has a socket whose name is the process id. Only the
 * owner of the folder can use the sockets.
 */
function folderOf(data: string): string {
  return join(data, "serving");
}

/**
 * Accepts commands for this process on a Unix socket in the data folder: a client sends the name of a command and
 * receives the result as one line of JSON.
 * @returns a function that stops accepting commands
 */
export async function acceptCommands(
  data: string,
  commands: ProcessCommands,
  logger: Pick<Logger, "warn">,
): Promise<() => Promise<void>> {
  const path = join(folderOf(data), String(process.pid));
  const waiting = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    waiting.add(socket);
    void answer(socket, commands, () => waiting.delete(socket));
  });
  try {
    mkdirSync(folderOf(data), { recursive: true, mode: 0o700 });
    // An old socket file with this name belongs to an ended process with the same id.
    rmSync(path, { force: true });
    server.listen({ path });
    await once(server, "listening");
  } catch {
    // The data folder's file system may not support sockets, or the socket's path may be too long. SIGHUP and changed
    // files still cause a reload.
    logger.warn("the reload command cannot reach this process");
    return async () => {};
  }
  return async () => {
    // A client that sends no command must not delay the end of the process.
    for (const socket of waiting) socket.destroy();
    await closeServer(server);
    rmSync(path, { force: true });
  };
}

async function answer(
  socket: Socket,
  commands: ProcessCommands,
  received: () => void,
): Promise<void> {
  // The client may disconnect before the answer.
  socket.on("error", () => socket.destroy());
  socket.setTimeout(COMMAND_NAME_TIMEOUT_MS, () => socket.destroy());
  const name = await readToEnd(socket);
  socket.setTimeout(0);
  received();
  // A command of another version may send an unknown name.
  if (name !== "reload" && name !== "dropLookups") return void socket.destroy();
  const result = await commands[name]();
  socket.end(`${JSON.stringify({ pid: process.pid, ...result })}\n`);
}

/** Maximum time in which a client must send the name of a command, in milliseconds. */
const COMMAND_NAME_TIMEOUT_MS = 5_000;

/** Reads text until the other side ends the connection. Returns an empty text if the connection breaks. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  try {
    for await (const piece of socket.setEncoding("utf8").iterator({ destroyOnReturn: false }))
      text += String(piece);
    return text;
  } catch {
    return "";
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** Sends a command to every process that uses a data folder, and returns the processes' results. */
export async function sendToProcesses<Name extends keyof ProcessCommands>(
  data: string,
  name: Name,
): Promise<readonly ProcessAnswer<Name>[]> {
  const answers = await Promise.all(socketsIn(data).map((path) => sendToProcess(path, name)));
  return answers.filter((answer) => answer !== null);
}

function socketsIn(data: string): readonly string[] {
  try {
    return readdirSync(folderOf(data)).map((name) => join(folderOf(data), name));
  } catch {
    // No gateway process has used this folder.
    return [];
  }
}

/** Sends a command to one process. Returns null if the process has ended. */
async function sendToProcess<Name extends keyof ProcessCommands>(
  path: string,
  name: Name,
): Promise<ProcessAnswer<Name> | null> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.on("error", () => socket.destroy());
  socket.end(name);
  const text = await readToEnd(socket);
  // The answer has the right form, because a gateway wrote it.
  return text === "" ? null : (JSON.parse(text) as ProcessAnswer<Name>);
}
