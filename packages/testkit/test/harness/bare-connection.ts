import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A connection below HTTP. */
export interface BareConnection {
  send(bytes: string): void;
  /** Resolves with everything that has come once it contains this. */
  until(part: string): Promise<string>;
  /** Resolves with everything that came, and how it ended: `end`, or the code of the error. */
  readonly ended: Promise<{ readonly text: string; readonly how: string }>;
  /** Reports whether the other side has ended, as far as this one has noticed. */
  hasNoticedEnd(): boolean;
  /** Breaks it off. */
  destroy(): void;
}

/** A request as it is on the wire. */
export const REQUEST =
  'POST /applications HTTP/1.1\r\nhost: insurer\r\nidempotency-key: "R-1"\r\ncontent-length: 2\r\n\r\n{}';

/** Connects below HTTP; broken off when the test ends. With `allowHalfOpen` it stays open when the other side ends. */
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
