import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Logger } from "../operator/logging/logger.ts";
import type { ReloadResult } from "./reload.ts";

/** The orders that a serving process accepts, with its answers. */
export interface Orders {
  reload(): Promise<ReloadResult>;
  /** Forgets the answers of lookups that are in memory. */
  dropLookups(): Promise<{ readonly dropped: number }>;
}

/** A serving process's answer to an order. */
export type ProcessAnswer<Name extends keyof Orders> = Awaited<ReturnType<Orders[Name]>> & {
  readonly pid: number;
};

/** The folder of the sockets: one for each serving process, named after it. Only their owner can reach them. */
function folderOf(data: string): string {
  return join(data, "serving");
}

/**
 * Takes the commands for a running gateway: a client connects to this process's socket in the data folder and sends the name of
 * an order, gets its result as one line of JSON.
 * @returns how to stop
 */
export async function takeOrders(
  data: string,
  orders: Orders,
  logger: Pick<Logger, "warn">,
): Promise<() => Promise<void>> {
  const path = join(folderOf(data), String(process.pid));
  const waiting = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    waiting.add(socket);
    void answer(socket, orders, () => waiting.delete(socket));
  });
  try {
    mkdirSync(folderOf(data), { recursive: true, mode: 0o700 });
    // The file belongs to an earlier process with this number.
    rmSync(path, { force: true });
    server.listen({ path });
    await once(server, "listening");
  } catch {
    // A folder that has no sockets, or whose path is too long for one: SIGHUP and changed files still count.
    logger.warn("the reload command cannot reach this process");
    return async () => {};
  }
  return async () => {
    // A client that sends nothing must not delay the end of the process.
    for (const socket of waiting) socket.destroy();
    await closed(server);
    rmSync(path, { force: true });
  };
}

async function answer(socket: Socket, orders: Orders, received: () => void): Promise<void> {
  // The client may not wait for the answer.
  socket.on("error", () => socket.destroy());
  socket.setTimeout(NAME_WITHIN_MS, () => socket.destroy());
  const name = await textOf(socket);
  socket.setTimeout(0);
  received();
  // A command of another version may know other orders.
  if (name !== "reload" && name !== "dropLookups") return void socket.destroy();
  const result = await orders[name]();
  socket.end(`${JSON.stringify({ pid: process.pid, ...result })}\n`);
}

/** How long a client may take to send the name of an order. */
const NAME_WITHIN_MS = 5_000;

/** Reads until the other side ends; empty for a broken connection. */
async function textOf(socket: Socket): Promise<string> {
  let text = "";
  try {
    for await (const piece of socket.setEncoding("utf8").iterator({ destroyOnReturn: false }))
      text += String(piece);
    return text;
  } catch {
    return "";
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** Gives an order to every process that serves from a data folder. */
export async function orderAll<Name extends keyof Orders>(
  data: string,
  name: Name,
): Promise<readonly ProcessAnswer<Name>[]> {
  const answers = await Promise.all(socketsIn(data).map((path) => orderOne(path, name)));
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
async function orderOne<Name extends keyof Orders>(
  path: string,
  name: Name,
): Promise<ProcessAnswer<Name> | null> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.on("error", () => socket.destroy());
  socket.end(name);
  const text = await textOf(socket);
  // This program's own answer.
  return text === "" ? null : (JSON.parse(text) as ProcessAnswer<Name>);
}
