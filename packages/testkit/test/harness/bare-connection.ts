import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A connection below HTTP. */
export interface BareConnection {
  send(bytes: string): void;
  /** Resolves with everything that has come once it contains this. */
  until(part: string): Promise<string>;
  /** Resolves with everything that came, and how it ended: `end`, or the code of the error. */
  readonly ended: Promise<{ readonly text: string; readonly how: string }>;
  /** Breaks it off. */
  destroy(): void;
}

/** A request as it is on the wire. */
export const REQUEST =
  'POST /applications HTTP/1.1\r\nhost: insurer\r\nidempotency-key: "R-1"\r\ncontent-length: 2\r\n\r\n{}';

/** Connects below HTTP; broken off when the test ends. */
export function connectBare(baseUrl: string): BareConnection {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let text = "";
  let how = "end";
  let wake = (): void => undefined;
  socket.setEncoding("latin1").on("data", (piece: string) => {
    text += piece;
    wake();
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
    destroy: () => void socket.destroy(),
  };
}
