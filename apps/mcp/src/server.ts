import type { Gateway } from "@insurance-gateway/core";
import { kindPolicies } from "@insurance-gateway/core/contract";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import type { ToolAnswer } from "./answers.ts";
import { createConfirmations } from "./confirmations.ts";
import { askBy, canAsk } from "./elicitation.ts";
import { type ConfirmOption, instructionsOf } from "./instructions.ts";
import { createListing } from "./listing.ts";
import type { Log } from "./log.ts";
import { providerStatus, submissionStatus } from "./own-tools.ts";
import { PROGRESS_EVERY_MS, type RequestContext, withProgress } from "./progress.ts";
import { createSentSubmissions } from "./sent-submissions.ts";
import { type ServedTool, servedEndpoint, type ToolCall } from "./served-tools.ts";
import type { Confirming } from "./submissions.ts";
import type { EndpointTool } from "./tools.ts";

/** What a server is made of. */
export interface ServerParts {
  readonly gateway: Gateway;
  readonly tools: readonly EndpointTool[];
  readonly confirm: ConfirmOption;
  readonly log: Log;
  readonly version: string;
  /** How far apart the signs are that a call is being worked on, in milliseconds; 10 seconds when left out. */
  readonly progressEveryMs?: number;
}

/** A server on one connection. */
export interface ToolServer {
  connect(transport: Transport): Promise<void>;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  /** Withdraws the questions, which nobody can answer any more, and waits until every call is answered. */
  finish(): Promise<void>;
  /** Stops what changes nothing, waits until the submissions that were sent are answered, and closes every connection. */
  close(): Promise<void>;
}

/** The SDK would answer a call of another form as a fault of its own; checked in the handler, it is the client's. */
const AnyCall = z.looseObject({ method: z.literal("tools/call") });

/** Makes the server of these tools. */
export function createServer(parts: ServerParts): ToolServer {
  const { confirm, gateway, log, progressEveryMs = PROGRESS_EVERY_MS, version } = parts;
  // The tools are written as JSON Schema, which the server underneath takes as it is.
  const { server } = new McpServer(
    { name: "insurance-gateway", title: "Insurance Gateway", version },
    { instructions: instructionsOf(confirm) },
  );
  // Said to the server underneath: McpServer would say that the list changes.
  server.registerCapabilities({ tools: {} });
  const tools = servedTools(parts);
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  const list = createListing(tools);
  const confirmations = createConfirmations();
  const running = new Set<Promise<ToolAnswer>>();
  const closed = Promise.withResolvers<void>();
  const unanswerable = new AbortController();

  function confirmedBy(): Confirming["by"] {
    if (canAsk(server)) return "person";
    return confirm === "code" ? "code" : "nobody";
  }

  function confirmingOf({ requestId, signal }: RequestContext): Confirming {
    const by = confirmedBy();
    if (by === "code") return { by, confirmations };
    if (by === "nobody") return { by };
    const withdrawn = AbortSignal.any([signal, unanswerable.signal]);
    return { by, ask: askBy(server, withdrawn, requestId) };
  }

  async function answerAndLog(tool: ServedTool, call: ToolCall): Promise<ToolAnswer> {
    const begun = performance.now();
    const answer = await tool.answer(call).catch((error: unknown) => tool.failed(error));
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
  server.setRequestHandler(AnyCall, async (request, context) => {
    const { params } = CallToolRequestSchema.parse(request);
    const tool = named.get(params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, "There is no such tool; tools/list has them all");
    const confirming = confirmingOf(context);
    const { signal } = context;
    const call = answerAndLog(tool, { given: params.arguments ?? {}, signal, confirming });
    running.add(call);
    const result = call.finally(() => running.delete(call)).then((answer) => answer.result);
    return withProgress(context, progressEveryMs, result);
  });
  // oxlint-disable unicorn/prefer-add-event-listener -- they are no events: the SDK calls one function each
  // What it says may quote a message.
  server.onerror = () => log("warn", "a message could not be read");
  server.onclose = () => closed.resolve();
  // oxlint-enable unicorn/prefer-add-event-listener

  return {
    connect: (transport) => server.connect(transport),
    closed: closed.promise,
    async finish() {
      unanswerable.abort();
      while (running.size > 0) await Promise.allSettled(running);
    },
    async close() {
      await server.close();
      await Promise.allSettled(running);
      await gateway.close();
    },
  };
}

/** Every endpoint's tool, and those of the gateway itself; that of submissions only where one can be sent. */
function servedTools({ gateway, tools }: ServerParts): readonly ServedTool[] {
  const sent = createSentSubmissions();
  const served = tools.map((tool) => servedEndpoint(tool, gateway, sent));
  const acts = served.some(({ kind }) => kindPolicies[kind].actsAtInsurer);
  const own = acts
    ? [submissionStatus(gateway), providerStatus(gateway)]
    : [providerStatus(gateway)];
  return [...served, ...own];
}
