import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that reached the insurer. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The insurer's reaction to a request. */
export type Behaviour = (response: ServerResponse, arrival: Arrival) => void;

/** An insurer in the test's process. It records every request and behaves as the test determines. */
export interface Insurer {
  readonly baseUrl: string;
  readonly arrivals: Arrival[];
  behaviour: Behaviour;
  /** Resolves when the next request has arrived. */
  nextArrival(): Promise<Arrival>;
  close(): Promise<void>;
}

/** Returns a behaviour that answers with JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Behaviour {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Returns a behaviour that answers with a problem, as the declared contract defines it. */
export function problem(status: number, code: string, more: object = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { "content-type": "application/problem+json", "retry-after": "7" });
    response.end(JSON.stringify({ code, status, ...more }));
  };
}

/** Starts an insurer on localhost. */
export async function startInsurer(behaviour: Behaviour): Promise<Insurer> {
  const waiting: ((arrival: Arrival) => void)[] = [];
  // The server closes no idle connection. Otherwise the next test's request could fail on a slow machine.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.once("end", () => {
      const { headers, method = "", url = "" } = request;
      const arrival = { method, url, headers, body };
      insurer.arrivals.push(arrival);
      for (const resolve of waiting.splice(0)) resolve(arrival);
      insurer.behaviour(response, arrival);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const insurer: Insurer = {
    baseUrl: `http://127.0.0.1:${port}/api`,
    arrivals: [],
    behaviour,
    nextArrival: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return insurer;
}
