import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createChance } from "../chaos/chance.ts";
import { applicationBody, listedApplication } from "../harness/applications.ts";

/** An insurer of providers C and D that sends some answers twice. */
export interface RepeatingInsurer {
  readonly baseUrl: string;
  /** The number of answers that were sent a second time. */
  readonly repeated: () => number;
  close(): Promise<void>;
}

/**
 * Starts an insurer on TCP that sends an answer a second time on the same connection, 1 to 8 ms after the first time.
 * @param answers - the shares of late and of repeated answers
 */
export async function startRepeatingInsurer(
  seed: number,
  answers: { readonly late: number; readonly twice: number },
): Promise<RepeatingInsurer> {
  const chance = createChance(seed);
  const sockets = new Set<Socket>();
  let repeated = 0;

  async function answer(socket: Socket, request: string): Promise<void> {
    const bytes = answerTo(request);
    if (chance.next() < answers.late) await wait(chance.between(1, 8));
    socket.write(bytes);
    if (chance.next() >= answers.twice) return;
    await wait(chance.between(1, 8));
    if (socket.destroyed) return;
    repeated += 1;
    socket.write(bytes);
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let head = "";
    socket.on("data", (chunk: Buffer) => {
      head += chunk.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return;
      const [request = ""] = head.split("\r\n");
      head = "";
      void answer(socket, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // The server listens on TCP.
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    repeated: () => repeated,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** Reports whether a customer has no application yet. */
export function isNewCustomer(afm: string): boolean {
  return Number(afm) % 5 === 0;
}

function answerTo(request: string): Buffer {
  const [, target = ""] = request.split(" ");
  const { pathname, searchParams } = new URL(target, "http://insurer.example");
  const id = searchParams.get("applicationId");
  if (pathname.endsWith("/ipid")) return ok("application/pdf", `%PDF-1.7 ${id}\n%%EOF`);
  const afm = searchParams.get("clientAfm") ?? "";
  const items = isNewCustomer(afm) ? [] : [applicationOf(afm)];
  const page = { items, start: 1, limit: 20, total: items.length };
  return ok("application/json", JSON.stringify(page));
}

function applicationOf(afm: string): object {
  const at = "2026-11-20T09:00:00Z";
  const added = { applicationId: `D-${afm}`, createdAt: at, updatedAt: at };
  return listedApplication(applicationBody(afm), added);
}

function ok(type: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${bytes.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}
