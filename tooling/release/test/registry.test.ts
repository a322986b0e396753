import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { ReleaseRefused } from "../src/refusal.ts";
import { findPublished } from "../src/registry.ts";

/** The way in which a registry breaks a connection. */
type Breaking = (response: ServerResponse) => void;

/** Starts an empty registry that breaks a number of its first connections. The end of the test stops the registry. */
async function startRegistry(broken: number, breakOff: Breaking): Promise<string> {
  let left = broken;
  const server = createServer((_, response) => {
    left -= 1;
    if (left >= 0) breakOff(response);
    else response.writeHead(404).end();
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new TypeError("TCP has a port");
  return `http://127.0.0.1:${address.port}/`;
}

const beforeTheHead: Breaking = (response) => void response.destroy();
const withinTheBody: Breaking = (response) => {
  response.writeHead(200, { "content-length": 100 });
  response.write('{ "versions":', () => response.destroy());
};

it.each([
  ["before the response head", beforeTheHead],
  ["within the response body", withinTheBody],
])(
  "a release continues after one broken connection to the registry and is refused after two broken connections: %s",
  async (_, breakOff) => {
    expect(await findPublished(await startRegistry(1, breakOff), "one")).toBeNull();
    const refused: unknown = await findPublished(await startRegistry(2, breakOff), "one").catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(ReleaseRefused);
    expect(String(refused)).toContain("cannot be reached");
  },
);
