import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { expect, it } from "vitest";
import { findPublished } from "../src/registry.ts";

/** A registry without packages, which breaks so many of its first connections. */
async function startRegistry(
  broken: number,
): Promise<{ readonly server: Server; readonly address: string }> {
  let left = broken;
  const server = createServer((request, response) => {
    left -= 1;
    if (left >= 0) request.socket.destroy();
    else response.writeHead(404).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new TypeError("TCP has a port");
  return { server, address: `http://127.0.0.1:${address.port}/` };
}

it.each([
  [1, "has no such package"],
  [2, "cannot be reached"],
])("after %d broken connections, a registry %s", async (broken, words) => {
  const { address, server } = await startRegistry(broken);
  const found = findPublished(address, "one").then(
    (published) => (published === null ? "has no such package" : "has it"),
    (error: unknown) => String(error),
  );
  expect(await found).toContain(words);
  server.closeAllConnections();
  server.close();
});
