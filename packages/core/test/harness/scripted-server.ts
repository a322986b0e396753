import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** One request as it came over the wire. */
export interface Arrival {
  readonly method: string;
  /** Path and query, as written. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** The server's reaction to one request, once all of it has arrived. */
export type Reply = (response: ServerResponse, arrival: Arrival) => void;

/** A server that does with each request what its script says. */
export interface ScriptedServer {
  readonly address: string;
  /** Every request so far, in order. */
  readonly arrivals: readonly Arrival[];
  /** Resolves when the first request has come. */
  readonly reached: Promise<void>;
  /** How many connections were made so far. */
  connections(): number;
}

/** Serves over loopback HTTP until the test ends. After the last reply of the script, that one is given again. */
export async function scriptedServer(...script: readonly Reply[]): Promise<ScriptedServer> {
  const arrivals: Arrival[] = [];
  const reached = Promise.withResolvers<void>();
  let connections = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = "", url = "", headers } = request;
    const arrival: Arrival = { method, target: url, headers, body };
    arrivals.push(arrival);
    reached.resolve();
    const reply = script[arrivals.length - 1] ?? script.at(-1);
    if (reply === undefined) throw new TypeError("The script says nothing");
    reply(response, arrival);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.on("connection", () => connections++);
  const address = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address, arrivals, reached: reached.promise, connections: () => connections };
}
