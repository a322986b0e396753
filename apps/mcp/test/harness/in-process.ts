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

/** The parts of a server in this process. */
export interface Serving {
  readonly provider: Provider;
  /** The gateway's address; without it, nothing is called. */
  readonly gateway?: string;
  /** The unusual options of the gateway's client. */
  readonly options?: Partial<GatewayOptions>;
  readonly progressEveryMs?: number;
  /** The person's answer to a question and its form; without it, the client can ask nobody. */
  readonly person?: (question: string, form: object) => Promise<ElicitResult>;
  /** The confirmation of submissions. Default: a person's. */
  readonly confirm?: ConfirmOption;
  readonly log?: Log;
}

/** A server with a provider's tools, and its client. */
export interface Connected {
  readonly client: Client;
  readonly server: ToolServer;
}

/** A client of a server with a provider's tools, all in this process; both end with the test. */
export async function connect(serving: Serving): Promise<Client> {
  const { client } = await connectBoth(serving);
  return client;
}

/** The same, with the server. */
export async function connectBoth(serving: Serving): Promise<Connected> {
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
