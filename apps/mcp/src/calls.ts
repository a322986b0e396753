import { randomUUID } from "node:crypto";
import type { Download, Gateway, WithResponse } from "@insurance-gateway/core";
import { type Endpoint, headersOfPaging, pagingOf } from "@insurance-gateway/core/contract";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { failureAnswer, jsonResult, type ToolAnswer } from "./answers.ts";
import type { CallParts } from "./arguments.ts";
import { errorAnswer, factsOf } from "./failures.ts";
import { shownRequestId } from "./forms.ts";
import type { EndpointTool } from "./tools.ts";
import { visible } from "./visible.ts";

/** What a call takes beside its input. */
export interface CallOptions {
  /** Stops the call; never given to a submission. */
  readonly signal?: AbortSignal;
  /** Of a submission. */
  readonly idempotencyKey?: string;
  /** Whether the submission, or another with its key, may have been sent before. */
  readonly sentBefore?: boolean;
}

/** A larger document is no answer for a conversation; in base64 it is a third larger still. */
const MOST_DOCUMENT_BYTES = 5 * 1024 * 1024;

/** Calls an endpoint through the gateway, whose client checks the answer. */
export async function callEndpoint(
  gateway: Gateway,
  tool: EndpointTool,
  parts: CallParts,
  { sentBefore = false, ...options }: CallOptions,
): Promise<ToolAnswer> {
  const { endpoint } = tool;
  const input = { ...parts, ...options };
  try {
    if (endpoint.kind !== "document")
      return jsonAnswer(endpoint, await gateway.call(endpoint, input).withResponse());
    // Its kind is a document's, which its type cannot follow.
    const file = gateway.call(endpoint as Endpoint<"document">, input);
    return await documentAnswer(tool, await file.withResponse());
  } catch (error) {
    return errorAnswer(factsOf(tool, sentBefore), error);
  }
}

function jsonAnswer(endpoint: Endpoint, { data, response }: WithResponse<unknown>): ToolAnswer {
  const { headers, status } = response;
  const requestId = shownRequestId(response.requestId);
  const idempotencyReplayed = headers["idempotency-replayed"] === "true";
  const { content, ...structured } = jsonResult(data);
  return {
    result: {
      ...structured,
      content: [...content, ...pagingContent(endpoint, headers)],
      _meta: { requestId, ...(idempotencyReplayed ? { idempotencyReplayed } : {}) },
    },
    message: "answered",
    fields: { status, requestId: requestId ?? undefined },
  };
}

/** What a page says in headers, which a model does not see: the next cursor, and how many items there are. */
function pagingContent(
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>>,
): CallToolResult["content"] {
  if (endpoint.kind !== "search") return [];
  return headersOfPaging(pagingOf(endpoint)).flatMap((name) =>
    headers[name] === undefined
      ? []
      : [{ type: "text" as const, text: visible(`${name}: ${headers[name]}`) }],
  );
}

async function documentAnswer(
  { endpointName, provider }: EndpointTool,
  { data, response }: WithResponse<Download>,
): Promise<ToolAnswer> {
  const { status } = response;
  const requestId = shownRequestId(response.requestId);
  const bytes = await readUpTo(data, MOST_DOCUMENT_BYTES);
  if (bytes === null)
    return failureAnswer(
      {
        code: "DOCUMENT_TOO_LARGE",
        // The same call would be refused again.
        outcome: "rejected",
        retry: "never",
        message:
          "This server refused the document: more than 5 MB is too large for the answer of a tool.",
        next: "Download it from the gateway with another program, such as curl.",
        requestId,
        errors: [],
      },
      status,
    );
  const { fileName, mediaType } = data;
  const { content, ...structured } = jsonResult({ fileName, mediaType, bytes: bytes.length });
  // A name for this answer alone, without a value that was sent.
  const uri = `insurance-gateway://${provider.id}/${endpointName}/${randomUUID()}/${encodeURIComponent(fileName)}`;
  const resource = { uri, mimeType: mediaType, blob: bytes.toString("base64") };
  return {
    result: {
      ...structured,
      content: [...content, { type: "resource", resource }],
      _meta: { requestId },
    },
    message: "answered",
    fields: { status, requestId: requestId ?? undefined },
  };
}

/** The bytes of a document, or null when there are more than that; then the rest is given up. */
async function readUpTo(document: Download, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of document.stream()) {
    size += chunk.byteLength;
    // Leaving the loop gives the rest up.
    if (size > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
