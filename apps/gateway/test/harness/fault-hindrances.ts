import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import { Worker } from "node:worker_threads";

/** The name of a fault that prevents a connection to the insurer. */
export type HindranceName = "no-address" | "never-accepted" | "no-tls" | "tls-refused";

/** An address at which the gateway cannot reach the insurer. */
export interface Hindered {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** A fault that prevents a connection to the insurer. */
export interface Hindrance {
  /** The end of a sentence that starts with "the insurer …". */
  readonly description: string;
  /** Adds the fault to the connection to a working insurer. */
  hinder(insurer: { readonly baseUrl: string }): Promise<Hindered>;
}

const nothingToClose = async (): Promise<void> => {};

/** All faults that prevent a connection to the insurer, by name. */
export const hindrances: Readonly<Record<HindranceName, Hindrance>> = {
  "no-address": {
    description: "has a host name that does not resolve",
    hinder: async () => ({
      // A label of a host name has at most 63 letters, so the system queries no name server.
      baseUrl: `http://${"x".repeat(64)}.invalid`,
      close: nothingToClose,
    }),
  },
  "never-accepted": {
    description: "never accepts the connection",
    hinder: listenWithoutAccepting,
  },
  "no-tls": {
    description: "is configured with https and speaks no TLS",
    hinder: async ({ baseUrl }) => ({
      baseUrl: baseUrl.replace("http:", "https:"),
      close: nothingToClose,
    }),
  },
  "tls-refused": {
    description: "refuses the TLS handshake",
    hinder: refuseHandshakes,
  },
};

/** A program with a listener that accepts no connection. The operating system queues at most two connections. */
const STANDSTILL = `
  const { parentPort } = require("node:worker_threads");
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

async function listenWithoutAccepting(): Promise<Hindered> {
  const thread = new Worker(STANDSTILL, { eval: true });
  const [port]: number[] = await once(thread, "message");
  const queued = [await connected(port), await connected(port)];
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of queued) socket.destroy();
      await thread.terminate();
    },
  };
}

async function connected(port: number | undefined): Promise<Socket> {
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** Starts a TLS server without a certificate, which refuses every handshake with an alert. */
async function refuseHandshakes(): Promise<Hindered> {
  const server = createServer();
  // Every handshake fails here on purpose.
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}
