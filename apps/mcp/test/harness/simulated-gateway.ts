import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";

/** Starts a simulated gateway and returns its address. The end of the test stops the gateway. */
export async function startSimulatedGateway(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const bound = server.address();
  if (typeof bound !== "object" || bound === null) throw new TypeError("The server has no port");
  return `http://127.0.0.1:${bound.port}`;
}
