import { once } from "node:events";
import { connect } from "node:net";

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of bytes on a connection. */
export interface RawExchange {
  /** The answers to them, interim ones left out. */
  readonly answers: readonly RawAnswer[];
  /** Whether a request that was sent afterwards was answered, too. */
  readonly stayedOpen: boolean;
}

/** Sends bytes on a connection of its own and gives everything that came back until it ended. */
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
 * Sends bytes, one for each character, waits for the answers, and finds out whether the connection is still good.
 * @param expected - how many answers are waited for, at most
 * @param end - whether the caller says, after these bytes, that it sends no more
 */
export async function exchangeRaw(
  address: string,
  bytes: string,
  expected: number,
  end: boolean,
): Promise<RawExchange> {
  const { host, hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // Also a connection that is reset has said what it had to say.
  socket.on("error", () => {});
  let text = "";
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
      if (readAnswers(text).length >= expected) resolve();
    });
  });
  if (end) socket.end(bytes, "latin1");
  else socket.write(bytes, "latin1");
  await Promise.race([answered, closed]);
  if (!end && !socket.destroyed)
    socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  await closed;
  const answers = readAnswers(text);
  return { answers: answers.slice(0, expected), stayedOpen: answers.length > expected };
}

/** Reads the answers that have arrived whole. Every answer of the gateway that has a body says its length. */
function readAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const body = rest.slice(end + 4, end + 4 + Number(headers["content-length"] ?? 0));
    if (body.length < Number(headers["content-length"] ?? 0)) return answers;
    if (status !== 100) answers.push({ status, headers, body });
    rest = rest.slice(end + 4 + body.length);
  }
}
