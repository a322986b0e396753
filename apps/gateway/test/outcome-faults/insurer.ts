import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import {
  createRecords,
  type HonestAnswer,
  type Kind,
  type Receipt,
  type StoredApplication,
} from "./book.ts";
import { createRequestReader, type ReadAmount } from "./request-reader.ts";

/** A part of the insurer's output: text, or a wait for some milliseconds or for the connection's next request. */
export type Part = string | Buffer | { readonly wait: number | "next request" };

/** The insurer's conduct in one exchange. Each omitted part is honest. */
export interface Conduct {
  /** The part of the request that the insurer reads first. Default: `all`. */
  readonly reads?: ReadAmount | "nothing";
  /** True if the insurer executes the request; `late`: after the answer. Default: true for a request that was read. */
  readonly acts?: boolean | "late";
  /** Returns changes to the application that the insurer executes. */
  readonly stores?: (application: StoredApplication, previous: StoredApplication) => object;
  /** Returns the parts that the insurer writes. */
  readonly answer?: (honest: HonestAnswer) => readonly Part[];
  /** End of the connection. Default: `keep`. `hang` keeps the connection open and reads nothing more. */
  readonly end?: "keep" | "close" | "reset" | "hang";
  /** True if a proxy has this conduct, and the insurer behind the proxy never receives the request. */
  readonly byProxy?: boolean;
  /**
   * True if the insurer has this conduct only on a connection with an earlier exchange, and is honest on a new
   * connection.
   */
  readonly onlyOnKeptConnection?: boolean;
  /** True if two requests that arrive together get each other's answer. */
  readonly swaps?: boolean;
}

/** An insurer over bare TCP, with a log of the requests that it received and executed. */
export interface RawInsurer {
  /** The insurer's address for each kind of call. */
  readonly baseUrls: Readonly<Record<Kind, string>>;
  readonly receipts: readonly Receipt[];
  /** Sets the conduct for all later exchanges; null means honest. */
  behave(conduct: Conduct | null): void;
  /** Begins the next call of the test, and returns its number. */
  nextTurn(): number;
  /** Waits until the insurer has executed all late requests. */
  actedLate(): Promise<void>;
  close(): Promise<void>;
}

/** Time after which a late insurer executes a request, in milliseconds: longer than a deadline of one second. */
const LATE_MS = 1_300;
/** Longest time that one of two requests waits for the other, in milliseconds. */
const MEETING_MS = 500;

/**
 * Starts an insurer on loopback.
 * @param prefix - beginning of the insurer's identifiers, different for each insurer
 * @param now - the insurer's clock, in milliseconds since 1970
 */
export async function startRawInsurer(prefix: string, now: () => number): Promise<RawInsurer> {
  const { honestAnswer, receipts } = createRecords(prefix, now);
  const sockets = new Set<Socket>();
  const late = new Set<Promise<void>>();
  let conduct: Conduct | null = null;
  let turn = 0;
  let waiting: { honest: HonestAnswer; resolve: (other: HonestAnswer) => void } | null = null;

  /** Returns the honest answer to the request that arrives at the same time as the request of `honest`. */
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

  /** Performs one exchange with the conduct `does`, and reports whether the connection stays open. */
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
    // A query, such as a reconciliation query, changes nothing at an insurer.
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

  /** Returns the conduct for the exchange that begins. */
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
    // The gateway may end a connection at any time. The reader notices the end, so the error is ignored.
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

/** A connection to the insurer. */
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
    // A reset discards everything that the other side has not read yet.
    if (written) await wait(30);
    socket.resetAndDestroy();
  }
  return how === "keep";
}

/** Returns a complete answer with the header `Content-Length`. */
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
