import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { programEnvironment } from "@insurance-gateway/running-gateway";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

/** The built command. */
export const program: string = fileURLToPath(
  new URL("../../bin/insurance-gateway-mcp.js", import.meta.url),
);

/** The built MCP server in a separate process, with a connected client. */
export interface McpProcess {
  readonly client: Client;
  readonly call: (tool: string, given?: object, signal?: AbortSignal) => Promise<CallToolResult>;
  /** Stops the server and returns the text that the server wrote to standard error. */
  readonly log: () => Promise<string>;
  /** The questions that the server has asked the person so far. */
  readonly questions: readonly string[];
}

/** The options with which a server starts. */
export interface McpStartOptions {
  /** The folder in which the providers are installed. */
  readonly folder: string;
  readonly token: string;
  readonly gateway: string;
  readonly parameters?: readonly string[];
  /** A file that is passed as GATEWAY_TOKEN_FILE instead of the token. */
  readonly tokenFile?: string;
  /**
   * Returns the person's answer to a question of the server. Without this function, the client cannot ask a person.
   */
  readonly person?: (
    question: string,
    withdrawn: AbortSignal,
  ) => ElicitResult | Promise<ElicitResult>;
}

/** Starts a server and connects a client. The end of the test stops both. */
export async function startMcp(start: McpStartOptions): Promise<McpProcess> {
  const { folder, gateway, parameters = [], person, token, tokenFile } = start;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, ...parameters],
    cwd: folder,
    env: programEnvironment({
      ...(tokenFile === undefined ? { GATEWAY_TOKEN: token } : { GATEWAY_TOKEN_FILE: tokenFile }),
      GATEWAY_URL: gateway,
    }),
    stderr: "pipe",
  });
  if (!(transport.stderr instanceof Readable)) throw new TypeError("There is no standard error");
  const log = text(transport.stderr);
  const questions: string[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      questions.push(params.message);
      return person(params.message, signal);
    });
  await client.connect(transport).catch(async (error: unknown) => {
    throw new Error(`The server does not serve: ${await log}`, { cause: error });
  });
  onTestFinished(() => client.close());
  return {
    client,
    questions,
    async log() {
      await client.close();
      return log;
    },
    call: (name, given = {}, signal) =>
      client.request(
        { method: "tools/call", params: { name, arguments: { ...given } } },
        CallToolResultSchema,
        signal === undefined ? {} : { signal },
      ),
  };
}

/** Returns the structured content of a result; throws if the text of the result differs. */
export function contentOf(result: CallToolResult): Record<string, unknown> {
  const [first] = result.content;
  const text: unknown = first?.type === "text" ? JSON.parse(first.text) : undefined;
  const content = result.structuredContent ?? {};
  if (JSON.stringify(text) !== JSON.stringify(content))
    throw new TypeError("The text is not the structured content");
  return content;
}
