import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP connection on which a test sends and receives bytes. */
export interface BareConnection {
  send(bytes: string): void;
  /** Resolves with all received text when it contains this part. */
  until(part: string): Promise<string>;
  /** Resolves with all received text and the end of the connection: `end`, or the code of the error. */
  readonly ended: Promise<{ readonly text: string; readonly how: string }>;
  /** Reports whether this side has noticed that the other side ended the connection. */
  hasNoticedEnd(): boolean;
  /** Destroys the connection. */
  destroy(): void;
}

/** A request, as bytes on the wire. */
export const REQUEST =
  'POST /applications HTTP/1.1\r\nhost: insurer\r\nidempotency-key: "R-1"\r\ncontent-length: 2\r\n\r\n{}';

/** Opens a TCP connection until the test ends. With `allowHalfOpen`, it stays open after the other side ends. */
export function connectBare(
  baseUrl: string,
  { allowHalfOpen = false }: { readonly allowHalfOpen?: boolean } = {},
): BareConnection {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
  let text = "";
  let how = "end";
  let noticedEnd = false;
  let wake = (): void => undefined;
  socket.setEncoding("latin1").on("data", (piece: string) => {
    text += piece;
    wake();
  });
  socket.once("end", () => {
    noticedEnd = true;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    how = error.code ?? error.message;
  });
  onTestFinished(() => void socket.destroy());
  return {
    send: (bytes) => void socket.write(bytes),
    async until(part) {
      while (!text.includes(part))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return text;
    },
    ended: new Promise((resolve) => {
      socket.once("close", () => resolve({ text, how }));
    }),
    hasNoticedEnd: () => noticedEnd,
    destroy: () => void socket.destroy(),
  };
}
