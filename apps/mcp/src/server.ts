import type { Gateway } from "@insurance-gateway/core";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Result,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import type { ToolAnswer } from "./calls/answers.ts";
import type { Log } from "./log.ts";
import type { ReferencePages } from "./resources/reference-pages.ts";
import {
  askThroughClient,
  type Confirmation,
  canAsk,
  createConfirmationCodes,
} from "./submissions/confirmation.ts";
import { createSentSubmissions } from "./submissions/sent-submissions.ts";
import type { ConfirmedBy } from "./tools/arguments.ts";
import { type ConfirmOption, instructionsFor } from "./tools/descriptions.ts";
import type { EndpointTool } from "./tools/endpoint-tools.ts";
import { providerStatus, submissionStatus } from "./tools/gateway-tools.ts";
import {
  createToolList,
  type ServedTool,
  serveEndpoint,
  type ToolCall,
} from "./tools/served-tools.ts";

export interface ServerOptions {
  readonly gateway: Gateway;
  readonly tools: readonly EndpointTool[];
  readonly pages: ReferencePages;
  readonly confirm: ConfirmOption;
  readonly log: Log;
  readonly version: string;
  /** Interval between two progress notifications of a call, in milliseconds. Default: 10,000. */
  readonly progressEveryMs?: number;
}

/** An MCP server for the connection to one client. */
export interface ToolServer {
  connect(transport: Transport): Promise<void>;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  /** Withdraws open questions, because the client can no longer answer, and waits until every call is answered. */
  finish(): Promise<void>;
  /** Cancels calls that change nothing, completes submissions that were sent, and closes all connections. */
  close(): Promise<void>;
}

type RequestContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Default interval of progress notifications, in milliseconds. MCP clients wait longer than this without progress. */
const PROGRESS_EVERY_MS = 10_000;

/**
 * A request that accepts any `params`, so that the handler can report wrong `params` as the client's error. The SDK
 * would report an internal error.
 */
const AnyToolCall = z.looseObject({ method: z.literal("tools/call") });

/** Creates an MCP server that offers the tools in the options. */
export function createServer(options: ServerOptions): ToolServer {
  const { confirm, gateway, log, pages, progressEveryMs = PROGRESS_EVERY_MS, version } = options;
  // McpServer accepts tools only with zod schemas; its inner Server accepts JSON Schema.
  const { server } = new McpServer(
    { name: "insurance-gateway", title: "Insurance Gateway", version },
    { instructions: instructionsFor(confirm) },
  );
  // McpServer itself would announce changes of the list of tools.
  server.registerCapabilities({ tools: {}, resources: {} });
  const tools = servedTools(options);
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  const list = createToolList(tools);
  const codes = createConfirmationCodes();
  const running = new Set<Promise<ToolAnswer>>();
  const closed = Promise.withResolvers<void>();
  const finishing = new AbortController();

  function confirmedBy(): ConfirmedBy {
    if (canAsk(server)) return "person";
    return confirm === "code" ? "code" : "nobody";
  }

  function confirmationFor({ requestId, signal }: RequestContext): Confirmation {
    const by = confirmedBy();
    if (by === "code") return { by, codes };
    if (by === "nobody") return { by };
    const withdrawn = AbortSignal.any([signal, finishing.signal]);
    return { by, ask: askThroughClient(server, withdrawn, requestId) };
  }

  async function answerAndLog(tool: ServedTool, call: ToolCall): Promise<ToolAnswer> {
    const begun = performance.now();
    const answer = await tool.answer(call).catch((error: unknown) => tool.answerError(error));
    log(answer.result.isError === true ? "warn" : "info", answer.message, {
      tool: tool.name,
      kind: tool.kind,
      ...answer.fields,
      milliseconds: Math.round(performance.now() - begun),
    });
    return answer;
  }

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    list(confirmedBy(), params?.cursor),
  );
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => pages.list(params?.cursor));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => pages.read(params.uri));
  server.setRequestHandler(AnyToolCall, async (request, context) => {
    const { params } = CallToolRequestSchema.parse(request);
    const tool = toolsByName.get(params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, "Unknown tool; tools/list returns every tool");
    const confirmation = confirmationFor(context);
    const { signal } = context;
    const call = answerAndLog(tool, { arguments: params.arguments ?? {}, signal, confirmation });
    running.add(call);
    const result = call.finally(() => running.delete(call)).then((answer) => answer.result);
    return withProgress(context, progressEveryMs, result);
  });
  // oxlint-disable unicorn/prefer-add-event-listener -- the SDK calls these two functions and emits no events
  // The error is not logged, because its message may quote the unreadable message.
  server.onerror = () => log("warn", "a message could not be read");
  server.onclose = () => closed.resolve();
  // oxlint-enable unicorn/prefer-add-event-listener

  return {
    connect: (transport) => server.connect(transport),
    closed: closed.promise,
    async finish() {
      finishing.abort();
      while (running.size > 0) await Promise.allSettled(running);
    },
    async close() {
      await server.close();
      await Promise.allSettled(running);
      await Promise.all([gateway.close(), pages.close()]);
    },
  };
}

/**
 * Returns the tools of the endpoints and of the gateway itself. `submission_status` is included only if a tool submits.
 */
function servedTools({ gateway, tools }: ServerOptions): readonly ServedTool[] {
  const sent = createSentSubmissions();
  const served = tools.map((tool) => serveEndpoint(tool, gateway, sent));
  const sendsSubmissions = served.some(({ kind }) => kindPolicies[kind].actsAtInsurer);
  const gatewayTools = sendsSubmissions
    ? [submissionStatus(gateway), providerStatus(gateway)]
    : [providerStatus(gateway)];
  return [...served, ...gatewayTools];
}

/** Sends progress notifications until the answer is ready, if the client sent a progress token. */
async function withProgress<Answer extends Result>(
  { _meta, sendNotification }: RequestContext,
  everyMs: number,
  answer: Promise<Answer>,
): Promise<Answer> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return answer;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress };
    // The client may have disconnected.
    sendNotification({ method: "notifications/progress", params }).catch(() => undefined);
  }, everyMs);
  return answer.finally(() => clearInterval(timer));
}
