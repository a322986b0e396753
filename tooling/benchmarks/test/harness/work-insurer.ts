import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { workAt } from "../../src/gateway/works.ts";

/** An insurer in this process that answers every work of the benchmarks. */
export interface WorkInsurer {
  readonly baseUrl: string;
  /** How many bytes of answers the system has taken from it so far. */
  sentBytes(): number;
  close(): void;
}

const PIECE_BYTES = 65_536;

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/** Starts it on a free port. */
export async function startWorkInsurer(): Promise<WorkInsurer> {
  const server = createServer((request, response) => {
    request.setEncoding("utf8");
    let text = "";
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const work = workAt(request.url ?? "");
      if (work === undefined) return void response.writeHead(404).end();
      const { body, type } = work.answer(text);
      const length = Buffer.byteLength(body);
      response.writeHead(work.status, { "content-type": type, "content-length": length });
      // In pieces, so that it is known how many of them were sent.
      if (typeof body === "string" || length <= PIECE_BYTES) response.end(body);
      else Readable.from(piecesOf(body)).pipe(response);
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("TCP has a port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    sentBytes: () =>
      [...sockets].reduce((sum, one) => sum + one.bytesWritten - one.writableLength, 0),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
