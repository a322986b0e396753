import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import {
  type HonestAnswer,
  type Kind,
  openBook,
  type Receipt,
  type StoredApplication,
} from "./book.ts";
import { createRequestReader, type ReadAmount } from "./request-reader.ts";

/** The insurer's output, in order: text, or a wait for some milliseconds or for the next request on the connection. */
export type Part = string | Buffer | { readonly wait: number | "next request" };

/** The insurer's conduct in one exchange. Each omitted part is honest. */
export interface Conduct {
  /** The part of the request that it reads first. Default: `all`. */
  readonly reads?: ReadAmount | "nothing";
  /** Whether it carries the request out; `late` is after the answer. Default: true if all is read. */
  readonly acts?: boolean | "late";
  /** The application that it carries out instead of the sent one. */
  readonly stores?: (application: StoredApplication, previous: StoredApplication) => object;
  /** The parts that it writes. */
  readonly answer?: (honest: HonestAnswer) => readonly Part[];
  /** The end of the connection. Default: `keep`; `hang` keeps it and reads no more. */
  readonly end?: "keep" | "close" | "reset" | "hang";
  /** Whether a proxy does this: the insurer behind it never receives the request. */
  readonly byProxy?: boolean;
  /** Whether it does this only where an earlier exchange used the connection; on a new one it is honest. */
  readonly onlyOnKeptConnection?: boolean;
  /** Whether two requests that arrive together get each other's answer. */
  readonly swaps?: boolean;
}

/** An insurer over bare TCP, which keeps a log of what it received and of what it carried out. */
export interface RawInsurer {
  /** Where it serves each kind. */
  readonly baseUrls: Readonly<Record<Kind, string>>;
  readonly receipts: readonly Receipt[];
  /** From now on it does this with every exchange that begins; null is honest again. */
  behave(conduct: Conduct | null): void;
  /** Begins the next call of the test, and gives its number. */
  nextTurn(): number;
  /** Waits until it has carried out everything that it carries out late. */
  actedLate(): Promise<void>;
  close(): Promise<void>;
}

/** How long after a deadline of one second an insurer acts that acts late, in milliseconds. */
const LATE_MS = 1_300;
/** How long one of two requests waits for the other, in milliseconds. */
const MEETING_MS = 500;

/**
 * Starts one on loopback.
 * @param prefix - what its identifiers begin with, so that no two insurers give the same one
 * @param now - its clock, in milliseconds since 1970
 */
export async function startRawInsurer(prefix: string, now: () => number): Promise<RawInsurer> {
  const { honestAnswer, receipts } = openBook(prefix, now);
  const sockets = new Set<Socket>();
  const late = new Set<Promise<void>>();
  let conduct: Conduct | null = null;
  let turn = 0;
  let waiting: { honest: HonestAnswer; resolve: (other: HonestAnswer) => void } | null = null;

  /** Gives the honest answer of the request that arrives together with this one. */
  async function otherOf(honest: HonestAnswer): Promise<HonestAnswer> {
    const first = waiting;
    if (first !== null) {
      waiting = null;
      first.resolve(honest);
      return first.honest;
    }
    const { promise, resolve } = Promise.withResolvers<HonestAnswer>();
    const mine = { honest, resolve };
    waiting = mine;
    const other = await Promise.race([promise, wait(MEETING_MS, honest)]);
    if (waiting === mine) waiting = null;
    return other;
  }

  /** Performs one exchange by its conduct; returns whether the connection continues. */
  async function exchange(line: Line, does: Conduct): Promise<boolean> {
    const { kind, reader, socket } = line;
    const receipt: Receipt = {
      kind,
      turn,
      request: null,
      received: false,
      carriedOut: null,
      answered: null,
    };
    receipts.push(receipt);
    const { reads = "all" } = does;
    if (reads !== "nothing") {
      const result = await reader.read(reads);
      if (result === "ended") return false;
      receipt.request = result;
    }
    const { request } = receipt;
    receipt.received = request !== null && does.byProxy !== true;
    // A query, such as a reconciliation, changes nothing at an insurer.
    const submits = kind === "submission" && request?.method === "POST";
    const honest = honestAnswer(kind, request, does.stores);
    const act = (): void => {
      receipt.carriedOut = honest.application;
    };
    if (submits && (does.acts ?? true) === true) act();
    if (submits && does.acts === "late") late.add(wait(LATE_MS).then(act));
    const answer = does.swaps === true ? await otherOf(honest) : honest;
    const parts = (does.answer ?? honestParts)(answer);
    receipt.answered = statusIn(parts);
    await write(line, parts);
    return end(socket, does.end ?? "keep", parts.length > 0);
  }

  /** Returns the conduct in the exchange that begins. */
  function conductFor({ kind, reader }: Line, exchanges: number): Conduct {
    if (conduct === null || (conduct.onlyOnKeptConnection === true && exchanges === 0)) return {};
    // A reconciliation query is not a submission.
    return kind === "submission" && reader.peek().startsWith("GET ") ? {} : conduct;
  }

  async function serve(line: Line): Promise<void> {
    if (conduct?.reads === "nothing" && conduct.onlyOnKeptConnection !== true) {
      await exchange(line, conduct);
      return;
    }
    for (let exchanges = 0; await line.reader.begun(); exchanges += 1)
      if (!(await exchange(line, conductFor(line, exchanges)))) return;
  }

  function accept(kind: Kind, socket: Socket): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // The gateway may end a connection at any time; the reader notices it.
    socket.on("error", () => undefined);
    socket.setNoDelay(true);
    void serve({ kind, socket, reader: createRequestReader(socket) });
  }

  const servers: Server[] = [];
  const listen = async (kind: Kind): Promise<string> => {
    const server = createServer({ pauseOnConnect: true }, (socket) => accept(kind, socket));
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return addressOf(server);
  };
  return {
    baseUrls: {
      submission: await listen("submission"),
      search: await listen("search"),
      lookup: await listen("lookup"),
      document: await listen("document"),
    },
    receipts,
    behave(next) {
      conduct = next;
    },
    nextTurn() {
      turn += 1;
      return turn;
    },
    async actedLate() {
      await Promise.all(late);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) {
        server.close();
        await once(server, "close");
      }
    },
  };
}

/** One connection. */
interface Line {
  readonly kind: Kind;
  readonly socket: Socket;
  readonly reader: ReturnType<typeof createRequestReader>;
}

async function write({ reader, socket }: Line, parts: readonly Part[]): Promise<void> {
  for (const part of parts)
    if (typeof part === "string" || Buffer.isBuffer(part)) {
      if (!socket.writable) return;
      socket.write(part);
    } else if (part.wait === "next request") await reader.begun();
    else await wait(part.wait);
}

async function end(socket: Socket, how: Conduct["end"], written: boolean): Promise<boolean> {
  if (how === "close") socket.end();
  if (how === "reset") {
    // A reset overtakes what the other side has not read yet.
    if (written) await wait(30);
    socket.resetAndDestroy();
  }
  return how === "keep";
}

/** Writes a whole answer with its length. */
export function honestParts({ body, mediaType, status }: HonestAnswer): readonly Part[] {
  return [
    `HTTP/1.1 ${status} Fine\r\nContent-Type: ${mediaType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  ];
}

function statusIn(parts: readonly Part[]): number | null {
  const text = parts.filter((part) => typeof part === "string").join("");
  const [, status] = /HTTP\/1\.1 ([2-9]\d\d)/.exec(text) ?? [];
  return status === undefined ? null : Number(status);
}

function addressOf(server: Server): string {
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/api`;
}
