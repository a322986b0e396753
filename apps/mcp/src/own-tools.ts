import {
  type Call,
  type CallOptions,
  type Gateway,
  RequestInvalidError,
} from "@insurance-gateway/core";
import { check } from "@insurance-gateway/core/contract";
import * as z from "zod/mini";
import { jsonResult, type ToolAnswer } from "./answers.ts";
import { errorAnswer } from "./failures.ts";
import { shownRequestId } from "./forms.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { ServedTool } from "./served-tools.ts";

const FACTS = { acts: false, sentBefore: false, search: null };

/** A tool that asks the gateway itself; no insurer is called. */
interface OwnTool<Given extends Readonly<Record<string, unknown>>> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The method and path that it asks. */
  readonly endpoint: string;
  readonly schema: z.ZodMiniType<Given, Given>;
  readonly ask: (given: Given, options: CallOptions) => Call<unknown>;
}

/** The tool that asks the gateway where a submission of this caller stands. */
export function submissionStatus(gateway: Gateway): ServedTool {
  return served({
    name: "submission_status",
    title: "Insurance Gateway: Status of a submission",
    description:
      "Tells where a submission stands, by its submissionId: `succeeded` and `failed` are certain; `in_flight` and `outcome_unknown` may have been carried out, ask again later; `needs_review` waits for a person. `answer` is what the submission was answered with. The insurer is not called, and nothing changes.",
    endpoint: "GET /submissions/{submissionId}",
    schema: z.strictObject({
      submissionId: z
        .uuid({ error: "must be a UUID" })
        .check(z.meta({ description: "From the failed answer of a submission." })),
    }),
    ask: ({ submissionId }, options) => gateway.submission(submissionId, options),
  });
}

/** The tool that asks the gateway how available its insurers are. */
export function providerStatus(gateway: Gateway): ServedTool {
  return served({
    name: "provider_status",
    title: "Insurance Gateway: Status of the insurers",
    description:
      "Tells whether insurers are `up`, `degraded`, `down` or in `maintenance`, and which maintenance windows are ahead. With a segment also how available that insurer was on each of the last 90 days. No insurer is called, and nothing changes.",
    endpoint: "GET /providers",
    schema: z.strictObject({
      segment: z.optional(
        z
          .string()
          .check(
            z.minLength(1, { error: "must not be empty" }),
            z.meta({ description: "Of one insurer, from the list; all of them without it." }),
          ),
      ),
    }),
    ask: ({ segment }, options) =>
      segment === undefined ? gateway.providers(options) : gateway.providerStatus(segment, options),
  });
}

function served<Given extends Readonly<Record<string, unknown>>>(tool: OwnTool<Given>): ServedTool {
  const { ask, description, endpoint, name, schema, title } = tool;
  const failed = (error: unknown): ToolAnswer => errorAnswer(FACTS, error);
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
    failed,
    async answer({ given, signal }) {
      const checked = check(schema, given);
      if (!checked.valid)
        return failed(new RequestInvalidError({ provider: "", endpoint }, checked.faults));
      const { data, response } = await ask(checked.value, { signal }).withResponse();
      const requestId = shownRequestId(response.requestId);
      return {
        result: { ...jsonResult(data), _meta: { requestId } },
        message: "answered",
        fields: { status: response.status, requestId: requestId ?? undefined },
      };
    },
  };
}
