import { createHash } from "node:crypto";
import { pdf, valueAt } from "@insurance-gateway/core/contract";
import { withValueAt } from "@insurance-gateway/core/runtime";
import { type AdapterAnswer, type InsurerResponse, unreadableAnswer } from "./adapter.ts";
import type { DecodedReply, DocumentMapping } from "./answer-mapping.ts";
import type { TextWithDocuments } from "./text-with-documents.ts";

/** Reads an answer as text. If the answer contains a document, the function decodes the documents in the text. */
export async function readMessage(
  document: DocumentMapping | undefined,
  response: InsurerResponse,
  charsetIn?: (head: string) => string | undefined,
): Promise<TextWithDocuments> {
  return document === undefined
    ? { text: await response.text(charsetIn), documentOf: () => null }
    : response.textWithDocuments(charsetIn);
}

/** Removes the document's text from an answer, so that the text does not stay in memory until drift is checked. */
export function withoutDocument(rows: DocumentMapping | undefined, content: unknown): unknown {
  const isText = rows !== undefined && typeof valueAt(content, rows.base64) === "string";
  return isText ? withValueAt(content, rows.base64, "") : content;
}

/** Number of bytes that are streamed at a time, a multiple of three: base64 encodes groups of three bytes. */
const DOCUMENT_CHUNK_BYTES = 3 * 16_384;
const PDF_END_SEARCH_BYTES = 1_024;
const latin1Decoder = new TextDecoder("latin1");

/** Returns the document in a decoded answer. */
export function documentAnswerIn(
  { base64, mediaType, notReady, size }: DocumentMapping,
  { content, documentOf, response: { status } }: DecodedReply,
): AdapterAnswer {
  const state = notReady && valueAt(content, notReady.at);
  if (typeof state === "string" && notReady?.is.includes(state)) return { type: "notReady" };
  const characters = valueAt(content, base64);
  const text = typeof characters === "string" ? characters : "";
  const bytes = documentOf?.(text) ?? null;
  if (bytes === null)
    return unreadableAnswer(status, "The insurer's document is not whole base64.");
  const statedSize = size === undefined ? undefined : valueAt(content, size);
  // Check the end of a PDF, because a base64 text that breaks off after a group of four characters is still valid.
  const hasEnd =
    mediaType !== pdf.mediaType ||
    latin1Decoder.decode(bytes.subarray(-PDF_END_SEARCH_BYTES)).includes("%%EOF");
  if ((statedSize !== undefined && Number(statedSize) !== bytes.byteLength) || !hasEnd)
    return unreadableAnswer(status, "The insurer's document ends too early.");
  return {
    type: "document",
    mediaType,
    content: chunksOf(bytes),
    size: bytes.byteLength,
    headers: { etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` },
  };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += DOCUMENT_CHUNK_BYTES)
    yield bytes.subarray(from, from + DOCUMENT_CHUNK_BYTES);
}
