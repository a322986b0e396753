import { createGateway, type GatewayOptions } from "@insurance-gateway/core";
import type { Provider } from "@insurance-gateway/core/contract";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/log.ts";
import { createReferencePages } from "../../src/resources/reference-pages.ts";
import { createServer, type ToolServer } from "../../src/server.ts";
import type { ConfirmOption } from "../../src/tools/descriptions.ts";
import { createTools } from "../../src/tools/endpoint-tools.ts";

/** The options of an MCP server in the test's process. */
export interface InProcessOptions {
  readonly provider: Provider;
  /** The gateway's address. Default: an address without a server. */
  readonly gateway?: string;
  /** Further options of the gateway's client. */
  readonly options?: Partial<GatewayOptions>;
  readonly progressEveryMs?: number;
  /** Returns the person's answer to a question and its form. Without this function, the client cannot ask a person. */
  readonly person?: (question: string, form: object) => Promise<ElicitResult>;
  /** Who confirms submissions. Default: a person. */
  readonly confirm?: ConfirmOption;
  readonly log?: Log;
}

/** A server with a provider's tools, and its client. */
export interface ServerAndClient {
  readonly client: Client;
  readonly server: ToolServer;
}

/** Starts a server with a provider's tools in this process and returns its client. The end of the test closes both. */
export async function connect(serving: InProcessOptions): Promise<Client> {
  const { client } = await connectBoth(serving);
  return client;
}

/** Starts a server and a client in this process and returns both. */
export async function connectBoth(serving: InProcessOptions): Promise<ServerAndClient> {
  const { gateway = "http://127.0.0.1:9", options, person, progressEveryMs, provider } = serving;
  const { confirm = "person", log = () => undefined } = serving;
  const kinds = ["lookup", "read", "search", "document", "quote", "submission"] as const;
  const server = createServer({
    gateway: createGateway({ baseUrl: gateway, token: "t", ...options }),
    tools: createTools([{ provider, texts: new Map() }], kinds),
    pages: createReferencePages(gateway),
    confirm,
    log,
    version: "1.0.0",
    ...(progressEveryMs === undefined ? {} : { progressEveryMs }),
  });
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      person(params.message, "requestedSchema" in params ? params.requestedSchema : {}),
    );
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, server };
}
