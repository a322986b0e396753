import { randomUUID } from "node:crypto";
import type { Download, Gateway, WithResponse } from "@insurance-gateway/core";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { headersOfPaging, pagingOf } from "@insurance-gateway/core/runtime";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { CallParts } from "../tools/arguments.ts";
import type { EndpointTool } from "../tools/endpoint-tools.ts";
import { failureAnswer, jsonResult, type ToolAnswer } from "./answers.ts";
import { contextOf, type EarlierCall, errorAnswer } from "./failures.ts";
import { checkedRequestId, escapeInvisible } from "./untrusted-text.ts";

export interface EndpointCallOptions {
  /** Cancels the call. Undefined for submissions, which must not be cancelled. */
  readonly signal?: AbortSignal;
  /** The idempotency key of a submission; undefined for other calls. */
  readonly idempotencyKey?: string;
  /** True for a submission, because a model has generated the submission's idempotency key. */
  readonly keyIsGenerated?: true;
  /** The MCP server's knowledge about earlier calls with the same idempotency key. */
  readonly earlier?: EarlierCall;
}

/** Maximum size of a document in an answer; base64 makes the document a third larger. */
const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;

/** Calls an endpoint through the gateway's client, which validates the answer. */
export async function callEndpoint(
  gateway: Gateway,
  tool: EndpointTool,
  parts: CallParts,
  { earlier = "none", ...options }: EndpointCallOptions,
): Promise<ToolAnswer> {
  const { endpoint } = tool;
  const input = { ...parts, ...options };
  try {
    if (endpoint.kind !== "document")
      return jsonAnswer(endpoint, await gateway.call(endpoint, input).withResponse());
    // TypeScript does not narrow the endpoint's type by its kind.
    const file = gateway.call(endpoint as Endpoint<"document">, input);
    return await documentAnswer(tool, await file.withResponse());
  } catch (error) {
    return errorAnswer(contextOf(tool, earlier), error);
  }
}

function jsonAnswer(endpoint: Endpoint, { data, response }: WithResponse<unknown>): ToolAnswer {
  const { headers, status } = response;
  const requestId = checkedRequestId(response.requestId);
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

/** Returns paging headers, such as the next cursor and the total, as text, because models do not see headers. */
function pagingContent(
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>>,
): CallToolResult["content"] {
  if (endpoint.kind !== "search") return [];
  return headersOfPaging(pagingOf(endpoint)).flatMap((name) =>
    headers[name] === undefined
      ? []
      : [{ type: "text" as const, text: escapeInvisible(`${name}: ${headers[name]}`) }],
  );
}

async function documentAnswer(
  { endpointName, provider }: EndpointTool,
  { data, response }: WithResponse<Download>,
): Promise<ToolAnswer> {
  const { status } = response;
  const requestId = checkedRequestId(response.requestId);
  const bytes = await readUpTo(data, MAX_DOCUMENT_BYTES);
  if (bytes === null)
    return failureAnswer(
      {
        code: "DOCUMENT_TOO_LARGE",
        // The MCP server would refuse the same document again after a retry.
        outcome: "rejected",
        retry: "never",
        message:
          "This server refused the document: it is larger than 5 MB, the limit for the answer of a tool.",
        next: "Download the document from the gateway with another program, such as curl.",
        requestId,
        errors: [],
      },
      status,
    );
  const { fileName, mediaType } = data;
  const { content, ...structured } = jsonResult({ fileName, mediaType, bytes: bytes.length });
  // The URI is unique for each answer and contains no value of the call.
  const uri = `insurance-gateway://${provider.id}/${endpointName}/${randomUUID()}/${encodeURIComponent(fileName)}`;
  const resource = { uri, mimeType: escapeInvisible(mediaType), blob: bytes.toString("base64") };
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

/** Returns the bytes of a document; null if the document is larger than the limit. */
async function readUpTo(document: Download, limit: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of document.stream()) {
    size += chunk.byteLength;
    // Returning from the loop cancels the rest of the download.
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
