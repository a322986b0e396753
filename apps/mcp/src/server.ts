import type { Gateway } from "@insurance-gateway/core";
import { RequestInvalidError } from "@insurance-gateway/core";
import { kindPolicies } from "@insurance-gateway/core/contract";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolAnswer } from "./answers.ts";
import { checkArguments, type ToolArguments } from "./arguments.ts";
import { callEndpoint } from "./calls.ts";
import { createConfirmations } from "./confirmations.ts";
import { askBy, canAsk } from "./elicitation.ts";
import { errorAnswer } from "./failures.ts";
import type { Log } from "./log.ts";
import { type Confirming, submit } from "./submissions.ts";
import { type EndpointTool, listedTool } from "./tools.ts";

/** What a server is made of. */
export interface ServerParts {
  readonly gateway: Gateway;
  readonly tools: readonly EndpointTool[];
  readonly log: Log;
  readonly version: string;
}

/** A server on one connection. */
export interface ToolServer {
  connect(transport: Transport): Promise<void>;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  /** Stops what changes nothing, waits until the submissions that were sent are answered, and closes every connection. */
  close(): Promise<void>;
}

/** One call of a tool. */
interface ToolCall {
  readonly tool: EndpointTool;
  readonly given: ToolArguments;
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
}

const INSTRUCTIONS =
  "Each tool is an endpoint of an insurer behind the Insurance Gateway. A failed call says in `outcome` whether the insurer acted, and in `next` what to do. A submission is sent only after a person has confirmed it; keep its idempotencyKey for every retry.";

/** Makes the server of these tools. */
export function createServer({ gateway, log, tools, version }: ServerParts): ToolServer {
  // The tools are written as JSON Schema, which the server underneath takes as it is.
  const { server } = new McpServer(
    { name: "insurance-gateway", title: "Insurance Gateway", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  const confirmations = createConfirmations();
  const running = new Set<Promise<ToolAnswer>>();
  const closed = Promise.withResolvers<void>();

  function confirmingOf({ requestId, signal }: ToolCall): Confirming {
    return canAsk(server)
      ? { by: "person", ask: askBy(server, signal, requestId) }
      : { by: "code", confirmations };
  }

  async function answer(call: ToolCall): Promise<ToolAnswer> {
    const { given, signal, tool } = call;
    const { endpoint } = tool;
    const confirming = confirmingOf(call);
    const checked = checkArguments(endpoint, confirming.by, given);
    if (!checked.valid) {
      const place = {
        provider: endpoint.provider,
        endpoint: `${endpoint.method} ${endpoint.path}`,
      };
      return errorAnswer(tool, new RequestInvalidError(place, checked.faults));
    }
    return kindPolicies[endpoint.kind].actsAtInsurer
      ? submit(gateway, tool, checked.value, confirming, () => signal.aborted)
      : callEndpoint(gateway, tool, checked.value.parts, { signal });
  }

  async function answerAndLog(call: ToolCall): Promise<ToolAnswer> {
    const begun = performance.now();
    const { fields, message, result } = await answer(call).catch((error: unknown) =>
      errorAnswer(call.tool, error),
    );
    log(result.isError === true ? "warn" : "info", message, {
      tool: call.tool.name,
      kind: call.tool.endpoint.kind,
      ...fields,
      milliseconds: Math.round(performance.now() - begun),
    });
    return { fields, message, result };
  }

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map((tool) => listedTool(tool, canAsk(server) ? "person" : "code")),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, signal }) => {
    const tool = named.get(params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, "There is no such tool; tools/list has them all");
    const call = answerAndLog({ tool, given: params.arguments ?? {}, signal, requestId });
    running.add(call);
    return (await call.finally(() => running.delete(call))).result;
  });
  Object.assign(server, {
    // What it says may quote a message.
    onerror: () => log("warn", "a message could not be read"),
    onclose: () => closed.resolve(),
  });

  return {
    connect: (transport) => server.connect(transport),
    closed: closed.promise,
    async close() {
      await server.close();
      await Promise.allSettled(running);
      await gateway.close();
    },
  };
}
