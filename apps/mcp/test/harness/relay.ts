import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request that the MCP server sent. */
export interface RelayedRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly key: string | undefined;
  /** Resolves when the connection closes: "answered" if the answer was sent completely, otherwise "given up". */
  readonly over: Promise<"answered" | "given up">;
}

/**
 * The behaviour of the relay: pass requests and answers on, remove `Retry-After` from answers, or lose the answers.
 */
export type RelayMode = "pass" | "hide-retry-after" | "lose";

/** A proxy between an MCP server and a gateway that records the requests. */
export interface Relay {
  readonly address: string;
  readonly sent: readonly RelayedRequest[];
  manner: RelayMode;
  /** Resolves with the next request, which waits until the test releases it. */
  hold(): Promise<{ readonly sent: RelayedRequest; readonly release: () => void }>;
}

const passedHeaders = ["authorization", "content-type", "idempotency-key"];

/** Starts a relay. The end of the test stops the relay. */
export async function startRelay(gateway: string): Promise<Relay> {
  const sent: RelayedRequest[] = [];
  let holding: ((held: Awaited<ReturnType<Relay["hold"]>>) => void) | null = null;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = "GET", url: path = "" } = request;
    const key = headers["idempotency-key"];
    const arrival: RelayedRequest = {
      method,
      path,
      key: typeof key === "string" ? key : undefined,
      over: new Promise((resolve) =>
        response.once("close", () => resolve(response.writableFinished ? "answered" : "given up")),
      ),
    };
    sent.push(arrival);
    const body = method === "GET" ? null : await buffer(request);
    if (holding !== null) {
      const held = Promise.withResolvers<void>();
      holding({ sent: arrival, release: held.resolve });
      holding = null;
      await held.promise;
    }
    const answer = await fetch(gateway + path, {
      method,
      headers: passedHeaders.flatMap((name) => {
        const value = headers[name];
        return typeof value === "string" ? [[name, value] as [string, string]] : [];
      }),
      body,
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (relay.manner === "lose") return void response.socket?.resetAndDestroy();
    const kept = Object.fromEntries(
      [...answer.headers].filter(
        ([name]) =>
          !["transfer-encoding", "content-length", "connection"].includes(name) &&
          !(relay.manner === "hide-retry-after" && name === "retry-after"),
      ),
    );
    response.writeHead(answer.status, kept).end(content);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const bound = server.address();
  if (typeof bound !== "object" || bound === null) throw new TypeError("The relay has no port");
  const relay: Relay = {
    address: `http://127.0.0.1:${bound.port}`,
    sent,
    manner: "pass",
    hold: () =>
      new Promise((resolve) => {
        holding = resolve;
      }),
  };
  return relay;
}
