import { type Gateway, RequestInvalidError } from "@insurance-gateway/core";
import { type EndpointKind, kindPolicies } from "@insurance-gateway/core/contract";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { ToolAnswer } from "./answers.ts";
import { type ConfirmedBy, checkArguments, type ToolArguments } from "./arguments.ts";
import { callEndpoint } from "./calls.ts";
import { errorAnswer, factsOf } from "./failures.ts";
import type { SentSubmissions } from "./sent-submissions.ts";
import { type Confirming, submit } from "./submissions.ts";
import { type EndpointTool, listedTool } from "./tools.ts";

/** One call of a tool. */
export interface ToolCall {
  readonly given: ToolArguments;
  readonly signal: AbortSignal;
  readonly confirming: Confirming;
}

/** A tool as the server serves it. */
export interface ServedTool {
  readonly name: string;
  readonly kind: EndpointKind;
  /** As the protocol lists it. */
  listed(confirmedBy: ConfirmedBy): Tool;
  answer(call: ToolCall): Promise<ToolAnswer>;
  /** The answer when `answer` threw. */
  failed(error: unknown): ToolAnswer;
}

/** Serves an endpoint's tool. */
export function servedEndpoint(
  tool: EndpointTool,
  gateway: Gateway,
  sent: SentSubmissions,
): ServedTool {
  const { endpoint, name } = tool;
  const { kind, method, path, provider } = endpoint;
  const failed = (error: unknown): ToolAnswer => errorAnswer(factsOf(tool), error);
  function sentBefore({ idempotencyKey }: ToolArguments): boolean {
    if (typeof idempotencyKey !== "string") return false;
    // No input is like none, so that the key alone decides.
    return sent.standingOf({ tool: name, parts: null, idempotencyKey }) !== "new";
  }
  return {
    name,
    kind,
    listed: (confirmedBy) => listedTool(tool, confirmedBy),
    failed,
    async answer({ confirming, given, signal }) {
      const checked = checkArguments(endpoint, confirming.by, given);
      if (!checked.valid)
        return errorAnswer(
          factsOf(tool, sentBefore(given)),
          new RequestInvalidError({ provider, endpoint: `${method} ${path}` }, checked.faults),
        );
      return kindPolicies[kind].actsAtInsurer
        ? submit(tool, checked.value, {
            gateway,
            sent,
            confirming,
            cancelled: () => signal.aborted,
          })
        : callEndpoint(gateway, tool, checked.value.parts, { signal });
    },
  };
}
