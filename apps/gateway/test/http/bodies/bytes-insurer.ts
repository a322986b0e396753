import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type GatewayInProcess, startInProcess } from "../../harness/gateway-in-process.ts";
import { makeFolderWithProvider } from "../../harness/provider-package.ts";

/** A request as the insurer received it, with its body as bytes. */
export interface BytesArrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Insurer that records the bytes of every request. */
export interface BytesInsurer {
  readonly baseUrl: string;
  readonly arrivals: BytesArrival[];
  behaviour: (response: ServerResponse, arrival: BytesArrival) => void;
  /** Called before the insurer reads the body of a request. */
  beforeReading: () => Promise<void>;
  close(): Promise<void>;
}

/** Starts the insurer on loopback. Default answer: `{"done":true}`. */
export async function startBytesInsurer(): Promise<BytesInsurer> {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    await insurer.beforeReading();
    for await (const chunk of request) chunks.push(chunk);
    const { headers, method = "", url = "" } = request;
    const arrival = { method, url, headers, body: Buffer.concat(chunks) };
    insurer.arrivals.push(arrival);
    insurer.behaviour(response, arrival);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const insurer: BytesInsurer = {
    baseUrl: `http://127.0.0.1:${port}`,
    arrivals: [],
    behaviour: answerDone,
    beforeReading: () => Promise.resolve(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return insurer;
}

/** Answers with `{"done":true}`, the declared success of the endpoints that have no special success. */
export function answerDone(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).end('{"done":true}');
}

/** Reads the form of a request with undici, whose reader of forms is independent of the gateway's. */
export function formOf({ body, headers }: BytesArrival): Promise<FormData> {
  const { "content-type": contentType = "" } = headers;
  return new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  }).formData();
}

/** Starts a gateway with provider M and the given insurer. */
export function startGatewayBefore({ baseUrl }: BytesInsurer): Promise<GatewayInProcess> {
  const folder = makeFolderWithProvider("provider-m", new URL("provider-m.ts", import.meta.url));
  const upstream = { baseUrl, credentials: { type: "none" } };
  return startInProcess({ providers: [{ package: "provider-m", upstream }] }, {}, { folder });
}
