import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { devNull } from "node:os";
import { createTransport, isOwnShortage, TransportError } from "../../src/transport/index.ts";
import { listen } from "./listen.ts";

// Sends requests from a process without a free file descriptor, and prints the failure of each request.
const server = createServer();
const { port } = new URL(await listen(server));
const transport = createTransport();

async function failureOf(host: string): Promise<readonly unknown[]> {
  const url = `http://${host}:${port}/`;
  try {
    await transport.send({ method: "GET", url, headers: {}, timeoutMs: 10_000 });
    return ["answered"];
  } catch (error) {
    if (!TransportError.isInstance(error)) throw error;
    return [error.detail, isOwnShortage(error)];
  }
}

const held: number[] = [];
try {
  for (;;) held.push(openSync(devNull, "r"));
} catch {
  // The error means that no file descriptor is left.
}
const failures = [await failureOf("127.0.0.1"), await failureOf("insurer.invalid")];
for (const descriptor of held) closeSync(descriptor);
failures.push(await failureOf("insurer.invalid"));
process.stdout.write(JSON.stringify(failures));
await transport.close();
server.close();
