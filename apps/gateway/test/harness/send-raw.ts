import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** An HTTP answer as it arrived. */
export interface RawAnswer {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection on which a test writes HTTP by hand. */
export interface RawConnection {
  readonly socket: Socket;
  /** Sends bytes, one for each character. */
  send(bytes: string): void;
  /** Returns the next final answer; null if the connection ends without an answer. */
  answer(): Promise<RawAnswer | null>;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
}

/** Sends bytes on a new connection. Returns the bytes that arrive until the connection ends. */
export async function sendRaw(address: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

/**
 * Opens a connection. With TLS, the connection accepts any certificate.
 * @throws the system's error if no server listens at the address
 */
export async function openRaw(address: string): Promise<RawConnection> {
  const { hostname, port, protocol } = new URL(address);
  const isTls = protocol === "https:";
  const socket = isTls
    ? connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })
    : connect(Number(port), hostname);
  await once(socket, isTls ? "secureConnect" : "connect");
  // After a reset of the connection, the test still reads the answers that arrived before the reset.
  socket.on("error", () => {});
  let text = "";
  let hasEnded = false;
  let wake = (): void => {};
  const ended = new Promise<void>((resolve) =>
    socket.once("close", () => {
      hasEnded = true;
      wake();
      resolve();
    }),
  );
  socket.setEncoding("latin1").on("data", (piece: string) => {
    text += piece;
    wake();
  });
  return {
    socket,
    ended,
    send: (bytes) => void socket.write(bytes, "latin1"),
    async answer() {
      for (;;) {
        const read = readAnswer(text);
        if (read !== null) {
          text = text.slice(read.characters);
          if (read.answer.status !== 100) return read.answer;
        } else if (hasEnded) return null;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

/** Reads the first answer in a text. Every answer of the gateway with a body states its length. */
function readAnswer(
  text: string,
): { readonly answer: RawAnswer; readonly characters: number } | null {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const characters = end + 4 + Number(headers["content-length"] ?? 0);
  if (text.length < characters) return null;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  return { answer: { status, headers, body: text.slice(end + 4, characters) }, characters };
}
