import {
  type Call,
  type CallOptions,
  type Gateway,
  RequestInvalidError,
} from "@insurance-gateway/core";
import { check } from "@insurance-gateway/core/contract";
import * as z from "zod/mini";
import { jsonResult, type ToolAnswer } from "../calls/answers.ts";
import { type CallContext, errorAnswer } from "../calls/failures.ts";
import { checkedRequestId } from "../calls/untrusted-text.ts";
import { jsonSchemaOf } from "./arguments.ts";
import type { ServedTool } from "./served-tools.ts";

const CONTEXT: CallContext = { acts: false, earlier: "none", search: null };

/** A tool that queries the gateway itself and calls no insurer. */
interface GatewayTool<Arguments extends Readonly<Record<string, unknown>>> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The method and the path that the tool calls at the gateway. */
  readonly endpoint: string;
  readonly schema: z.ZodMiniType<Arguments, Arguments>;
  readonly ask: (args: Arguments, options: CallOptions) => Call<unknown>;
}

/** Creates the tool that returns the state of a submission that the token's caller sent. */
export function submissionStatus(gateway: Gateway): ServedTool {
  return serve({
    name: "submission_status",
    title: "Insurance Gateway: Status of a submission",
    description:
      "Returns the state of a submission by its submissionId. `succeeded` and `failed` are final. `in_flight` and `outcome_unknown` may have been carried out: ask again later. `needs_review` waits for a person. `answer` is the answer to the submission. This tool does not call the insurer, and changes nothing.",
    endpoint: "GET /submissions/{submissionId}",
    schema: z.strictObject({
      submissionId: z
        .uuid({ error: "must be a UUID" })
        .check(z.meta({ description: "From the answer of a failed submission." })),
    }),
    ask: ({ submissionId }, options) => gateway.submission(submissionId, options),
  });
}

/** Creates the tool that returns the availability of the gateway's insurers. */
export function providerStatus(gateway: Gateway): ServedTool {
  return serve({
    name: "provider_status",
    title: "Insurance Gateway: Status of the insurers",
    description:
      "Returns whether insurers are `up`, `degraded`, `down` or in `maintenance`, and their next maintenance windows. With a segment, it also returns how available that insurer was on each of the last 90 days. This tool calls no insurer, and changes nothing.",
    endpoint: "GET /providers",
    schema: z.strictObject({
      segment: z.optional(
        z.string().check(
          z.minLength(1, { error: "must not be empty" }),
          z.meta({
            description: "The segment of one insurer, from the list. Omit it for all insurers.",
          }),
        ),
      ),
    }),
    ask: ({ segment }, options) =>
      segment === undefined ? gateway.providers(options) : gateway.providerStatus(segment, options),
  });
}

function serve<Arguments extends Readonly<Record<string, unknown>>>(
  tool: GatewayTool<Arguments>,
): ServedTool {
  const { ask, description, endpoint, name, schema, title } = tool;
  const answerError = (error: unknown): ToolAnswer => errorAnswer(CONTEXT, error);
  return {
    name,
    kind: "read",
    listed: () => ({
      name,
      title,
      description,
      inputSchema: jsonSchemaOf(schema, new Map()),
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    }),
    answerError,
    async answer({ arguments: args, signal }) {
      const checked = check(schema, args);
      if (!checked.valid)
        return answerError(new RequestInvalidError({ provider: "", endpoint }, checked.faults));
      const { data, response } = await ask(checked.value, { signal }).withResponse();
      const requestId = checkedRequestId(response.requestId);
      return {
        result: { ...jsonResult(data), _meta: { requestId } },
        message: "answered",
        fields: { status: response.status, requestId: requestId ?? undefined },
      };
    },
  };
}
