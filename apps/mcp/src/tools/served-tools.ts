import { type Gateway, ProblemError, RequestInvalidError } from "@insurance-gateway/core";
import { type EndpointKind, kindPolicies } from "@insurance-gateway/core/runtime";
import type { ListToolsResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import type { ToolAnswer } from "../calls/answers.ts";
import { callEndpoint } from "../calls/endpoint-calls.ts";
import { contextOf, type EarlierCall, earlierCall, errorAnswer } from "../calls/failures.ts";
import { listPage } from "../list-pages.ts";
import type { Confirmation } from "../submissions/confirmation.ts";
import type { SentSubmissions } from "../submissions/sent-submissions.ts";
import { submit } from "../submissions/submit.ts";
import { type ConfirmedBy, checkArguments, type ToolArguments } from "./arguments.ts";
import { type EndpointTool, listedTool } from "./endpoint-tools.ts";

/** A call of a tool. */
export interface ToolCall {
  readonly arguments: ToolArguments;
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly confirmation: Confirmation;
}

/** A tool with the function that answers its calls. */
export interface ServedTool {
  readonly name: string;
  readonly kind: EndpointKind;
  /** Returns the description of the tool for the list of tools in the MCP protocol. */
  listed(confirmedBy: ConfirmedBy): Tool;
  answer(call: ToolCall): Promise<ToolAnswer>;
  /** Returns the answer to a call for which `answer` threw this error. */
  answerError(error: unknown): ToolAnswer;
}

/** Serves the tool of an endpoint. */
export function serveEndpoint(
  tool: EndpointTool,
  gateway: Gateway,
  sent: SentSubmissions,
): ServedTool {
  const { endpoint, name } = tool;
  const { kind, method, path, provider } = endpoint;
  async function earlierWith({ idempotencyKey }: ToolArguments): Promise<EarlierCall> {
    if (!kindPolicies[kind].actsAtInsurer || typeof idempotencyKey !== "string") return "none";
    // A call with an invalid input sends nothing to the gateway, but an earlier call may have sent the same key.
    const earlier = earlierCall(sent.find({ tool: name, parts: null, idempotencyKey }));
    if (earlier !== "not known") return earlier;
    return gateway.submissionByKey(endpoint, idempotencyKey, { timeout: ASK_TIMEOUT_MS }).then(
      () => earlier,
      (error: unknown) => (isNotFound(error) ? "none" : earlier),
    );
  }
  return {
    name,
    kind,
    listed: (confirmedBy) => listedTool(tool, confirmedBy),
    answerError: (error) => errorAnswer(contextOf(tool), error),
    async answer({ arguments: args, confirmation, signal }) {
      const checked = checkArguments(endpoint, confirmation.by, args);
      if (!checked.valid)
        return errorAnswer(
          contextOf(tool, await earlierWith(args)),
          new RequestInvalidError({ provider, endpoint: `${method} ${path}` }, checked.faults),
        );
      return kindPolicies[kind].actsAtInsurer
        ? submit(tool, checked.value, {
            gateway,
            sent,
            confirmation,
            isCancelled: () => signal.aborted,
          })
        : callEndpoint(gateway, tool, checked.value.parts, { signal });
    },
  };
}

/**
 * Timeout for querying whether the gateway has a submission with the key of an invalid call, in milliseconds. It is
 * short because the model waits.
 */
const ASK_TIMEOUT_MS = 5_000;

function isNotFound(error: unknown): boolean {
  return ProblemError.isInstance(error) && error.code === "SUBMISSION_NOT_FOUND";
}

/** Returns a page of the list of tools; without a cursor, the first page. */
export type ToolList = (confirmedBy: ConfirmedBy, cursor: string | undefined) => ListToolsResult;

/**
 * Creates the paged list of tools. Each description is created only once, because converting a tool's schema is slow.
 */
export function createToolList(tools: readonly ServedTool[]): ToolList {
  const described = new Map<string, Tool>();
  function describe(tool: ServedTool, confirmedBy: ConfirmedBy): Tool {
    const key = `${tool.name} ${confirmedBy}`;
    const listed = described.get(key) ?? tool.listed(confirmedBy);
    described.set(key, listed);
    return listed;
  }
  return (confirmedBy, cursor) => {
    const { items, next } = listPage(tools, cursor);
    return { tools: items.map((tool) => describe(tool, confirmedBy)), ...next };
  };
}
