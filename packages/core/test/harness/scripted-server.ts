import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** One request as it arrived. */
export interface Arrival {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Replies to one request after all of the request has arrived. */
export type Reply = (response: ServerResponse, arrival: Arrival) => void;

/** A server that replies to each request according to its script. */
export interface ScriptedServer {
  readonly address: string;
  /** All requests so far, in order. */
  readonly arrivals: readonly Arrival[];
  /** Resolves when the first request has arrived. */
  readonly reached: Promise<void>;
  /** Returns the number of connections so far. */
  connections(): number;
}

/**
 * Starts a server on loopback that ends with the test. The last reply of the script is repeated for all later requests.
 */
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
    if (reply === undefined) throw new TypeError("The script has no reply");
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
