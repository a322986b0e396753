import { type Gateway, RequestInvalidError } from "@insurance-gateway/core";
import { check } from "@insurance-gateway/core/contract";
import * as z from "zod/mini";
import { jsonResult, type ToolAnswer } from "./answers.ts";
import { errorAnswer } from "./failures.ts";
import { shownRequestId } from "./forms.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { ServedTool } from "./served-tools.ts";

const NAME = "submission_status";
const PLACE = { provider: "", endpoint: "GET /submissions/{submissionId}" };
const FACTS = { acts: false, sentBefore: false, search: null };

const schema = z.strictObject({
  submissionId: z
    .uuid({ error: "must be a UUID" })
    .check(z.meta({ description: "From the failed answer of a submission." })),
});

/** The tool that asks the gateway where a submission of this caller stands; the insurer is not called. */
export function submissionStatus(gateway: Gateway): ServedTool {
  const failed = (error: unknown): ToolAnswer => errorAnswer(FACTS, error);
  return {
    name: NAME,
    kind: "read",
    listed: () => ({
      name: NAME,
      title: "Insurance Gateway: Status of a submission",
      description:
        "Tells where a submission stands, by its submissionId: `succeeded` and `failed` are certain; `in_flight` and `outcome_unknown` may have been carried out, ask again later; `needs_review` waits for a person. `answer` is what the submission was answered with. The insurer is not called, and nothing changes.",
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
      if (!checked.valid) return failed(new RequestInvalidError(PLACE, checked.faults));
      const { submissionId } = checked.value;
      const { data, response } = await gateway.submission(submissionId, { signal }).withResponse();
      const requestId = shownRequestId(response.requestId);
      return {
        result: { ...jsonResult(data), _meta: { requestId } },
        message: "answered",
        fields: { status: response.status, requestId: requestId ?? undefined },
      };
    },
  };
}
