import { createGateway, type GatewayOptions } from "@insurance-gateway/core";
import type { Provider } from "@insurance-gateway/core/contract";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { createServer } from "../../src/server.ts";
import { createTools } from "../../src/tools/endpoint-tools.ts";

/** What a server in this process is made of. */
export interface Serving {
  readonly provider: Provider;
  /** The gateway's address; without it, nothing is called. */
  readonly gateway?: string;
  /** What the calls of the gateway are made with, other than usual. */
  readonly options?: Partial<GatewayOptions>;
  readonly progressEveryMs?: number;
  /** What the person answers; without it, the client can ask nobody. */
  readonly person?: () => Promise<ElicitResult>;
}

/** A client of a server with a provider's tools, all in this process; both end with the test. */
export async function connect(serving: Serving): Promise<Client> {
  const { gateway = "http://127.0.0.1:9", options, person, progressEveryMs, provider } = serving;
  const kinds = ["lookup", "read", "search", "document", "quote", "submission"] as const;
  const server = createServer({
    gateway: createGateway({ baseUrl: gateway, token: "t", ...options }),
    tools: createTools([{ provider, texts: new Map() }], kinds),
    confirm: "person",
    log: () => undefined,
    version: "1.0.0",
    ...(progressEveryMs === undefined ? {} : { progressEveryMs }),
  });
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined) client.setRequestHandler(ElicitRequestSchema, person);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return client;
}
