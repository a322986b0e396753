import type { Socket } from "node:net";

/** The part of a request to read: a number of bytes, its head and a number of bytes of its body, or all of it. */
export type ReadAmount =
  | "all"
  | { readonly bytes: number }
  | { readonly head: "whole"; readonly bodyBytes: number }
  | { readonly allButBytes: number };

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/** Reads the HTTP/1.1 requests of one connection. */
export interface RequestReader {
  /** Waits for the first byte of a request. Returns false if the connection ends before that. */
  begun(): Promise<boolean>;
  /** Returns the received part of the request. */
  peek(): string;
  /** Reads a part of the request. Returns the request for `all`, else null; "ended" if the connection ends first. */
  read(amount: ReadAmount): Promise<ReceivedRequest | null | "ended">;
}

/** Creates the reader of a connection that the server accepted in the paused state. */
export function createRequestReader(socket: Socket): RequestReader {
  let bytes: Buffer = Buffer.alloc(0);

  /** Waits for more bytes. Returns false if the connection has ended. */
  async function fill(): Promise<boolean> {
    for (;;) {
      const chunk: Buffer | null = socket.read();
      if (chunk !== null) {
        bytes = Buffer.concat([bytes, chunk]);
        return true;
      }
      if (socket.destroyed || socket.readableEnded) return false;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          for (const event of ["readable", "end", "close"]) socket.off(event, go);
          resolve();
        };
        for (const event of ["readable", "end", "close"]) socket.on(event, go);
      });
    }
  }

  async function has(enough: () => boolean): Promise<boolean> {
    while (!enough()) if (!(await fill())) return false;
    return true;
  }

  const headEnd = (): number => bytes.indexOf("\r\n\r\n");

  function framed(): { readonly bodyAt: number; readonly bodyLength: number } {
    const bodyAt = headEnd() + 4;
    const head = bytes.subarray(0, bodyAt).toString("latin1");
    const [, length = "0"] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
    if (/\r\ntransfer-encoding:/i.test(head))
      throw new Error("The gateway must send its bodies with a length");
    return { bodyAt, bodyLength: Number(length) };
  }

  return {
    begun: () => has(() => bytes.length > 0),
    peek: () => bytes.toString("latin1"),
    async read(amount) {
      if (typeof amount === "object" && "bytes" in amount)
        return (await has(() => bytes.length >= amount.bytes)) ? null : "ended";
      if (!(await has(() => headEnd() >= 0))) return "ended";
      const { bodyAt, bodyLength } = framed();
      if (amount !== "all") {
        const wanted = "bodyBytes" in amount ? amount.bodyBytes : bodyLength - amount.allButBytes;
        const enough = bodyAt + Math.max(0, Math.min(wanted, bodyLength));
        return (await has(() => bytes.length >= enough)) ? null : "ended";
      }
      if (!(await has(() => bytes.length >= bodyAt + bodyLength))) return "ended";
      const [line = ""] = bytes.toString("latin1").split("\r\n", 1);
      const [method = "", target = ""] = line.split(" ");
      const [path = "", query = ""] = target.split("?", 2);
      const body = bytes.subarray(bodyAt, bodyAt + bodyLength).toString("utf8");
      bytes = bytes.subarray(bodyAt + bodyLength);
      return { method, path, query, body };
    },
  };
}
