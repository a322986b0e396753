import { problemCodes } from "@insurance-gateway/core/problems";
import type { JsonSchema } from "./open-api.ts";

const textSchema = (description: string, maxLength: number, pattern = "\\S"): JsonSchema => ({
  type: "string",
  maxLength,
  pattern,
  description,
});

/**
 * Returns a schema with an open list of values, which later versions may extend. With a closed list, a client could
 * not read a problem that has a new value.
 */
const openList = (description: string, ...values: readonly string[]): JsonSchema => ({
  ...textSchema(description, 100),
  "x-extensible-enum": values,
});

/** The body of every error, `application/problem+json` (RFC 9457). */
const problem: JsonSchema = {
  type: "object",
  description:
    "What went wrong, whether the insurer acted, and what to do next (RFC 9457). It contains no value that was sent.",
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      description:
        "The address of the page that explains the code; `about:blank` if the gateway serves no reference.",
    },
    title: textSchema("The code in words.", 200),
    status: {
      type: "integer",
      format: "int32",
      minimum: 400,
      maximum: 599,
      description: "The HTTP status.",
    },
    code: openList("The machine-readable reason.", ...Object.keys(problemCodes)),
    detail: textSchema("What happened and what to do next.", 1000),
    requestId: textSchema("Names this request in the gateway's log.", 36, "^[0-9a-f-]{36}$"),
    provider: {
      type: ["string", "null"],
      maxLength: 100,
      pattern: "^[a-z][a-z0-9-]*$",
      description:
        "The provider that was called; null if the request failed before that was known.",
    },
    outcome: openList(
      "What the call did at the insurer: `not_sent`, the insurer never received it; `rejected`, it refused; `unknown`, it may have acted; `executed`, it acted and its answer is unusable.",
      "not_sent",
      "rejected",
      "unknown",
      "executed",
    ),
    retry: openList(
      "Whether to send the call again: `safe`, yes; `same_key`, with the same Idempotency-Key; `after_check`, after you found out what happened to it; `never`, not unchanged.",
      "safe",
      "same_key",
      "after_check",
      "never",
    ),
    errors: {
      type: "array",
      maxItems: 100,
      items: { $ref: "#/components/schemas/Fault" },
      description: "Every fault of the request, if its content was refused.",
    },
    reconciliation: { $ref: "#/components/schemas/ProblemReconciliation" },
    insurerId: textSchema(
      "The insurer's identifier of what it created; only with the outcome `executed`.",
      200,
    ),
  },
  required: [
    "type",
    "title",
    "status",
    "code",
    "detail",
    "requestId",
    "provider",
    "outcome",
    "retry",
  ],
};

const fault: JsonSchema = {
  type: "object",
  description: "One fault of a request: the field and the rule, never the value.",
  properties: {
    pointer: textSchema(
      "JSON Pointer (RFC 6901): `/holder/afm` in a body, `/query/clientAfm` or `/path/applicationId` for a parameter.",
      500,
      "^(/.*)?$",
    ),
    code: openList(
      "The violated rule.",
      "REQUIRED",
      "TYPE",
      "FORMAT",
      "LENGTH",
      "RANGE",
      "PRECISION",
      "VALUE",
      "DATE_ORDER",
      "UNKNOWN_FIELD",
      "REPEATED",
      "INVALID",
    ),
    message: textSchema(
      "The rule in words, as the end of a sentence that begins with the field.",
      500,
    ),
  },
  required: ["pointer", "code", "message"],
};

const problemReconciliation: JsonSchema = {
  type: "object",
  description: "How to find out what happened to a submission.",
  properties: {
    href: textSchema(
      "The path of the submission's state at the gateway, for GET with the same token (`/reference/gateway/readSubmission`).",
      500,
      "^/",
    ),
    endpoint: textSchema(
      "The search of the same provider that shows whether the insurer carried it out.",
      200,
    ),
    parameters: {
      type: "object",
      description: "For each parameter of that search, where the submission's body has its value.",
      propertyNames: { maxLength: 200 },
      additionalProperties: {
        type: "object",
        properties: { from: textSchema("A JSON Pointer into the submission's body.", 500, "^/") },
        required: ["from"],
        additionalProperties: false,
      },
    },
  },
};

/** The schemas of problems, which every document contains. */
export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Fault: fault,
  Problem: problem,
  ProblemReconciliation: problemReconciliation,
};
