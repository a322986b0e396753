import { describe, expect, it, onTestFinished } from "vitest";
import { createGateway as createFetchGateway } from "../../src/fetch/index.ts";
import { createGateway } from "../../src/index.ts";
import { listen } from "../harness/listen.ts";
import { makeCalls } from "./calls.ts";
import { expectedResults } from "./expected.ts";
import { createConformanceServer } from "./server.ts";

/** Returns an address at which no server listens. `fetch` itself refuses some ports, such as port 1. */
async function freeAddress(): Promise<string> {
  const server = createConformanceServer();
  const address = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}

describe("the client", () => {
  it.each([
    ["undici", createGateway, { provesUnsent: true, streams: true }],
    ["Node's fetch", createFetchGateway, { provesUnsent: true, streams: false }],
  ] as const)(
    "the client returns the expected result of every call over %s",
    async (_, create, traits) => {
      const server = createConformanceServer();
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const addresses = { server: await listen(server), nobody: await freeAddress() };
      expect(await makeCalls(create, addresses)).toEqual(expectedResults(traits));
    },
  );
});
