import type { IncomingHttpHeaders } from "node:http";
import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  answerTypes,
  bodyFormatOf,
  bodyOf,
  hasFiles,
  MOST_BODY_BYTES,
  Refusal,
  type RequestBody,
  unsupported,
} from "@insurance-gateway/core/runtime";
import Negotiator from "negotiator";
import type { ExpectedBody } from "../http/body.ts";

/** The body and the accepted types of a request. */
export interface Negotiated {
  /** The body that the request announces; null for a request without one. */
  readonly body: ExpectedBody | null;
  /** The media types of the answer that the caller accepts, the preferred type first; null if there is no choice. */
  readonly accept: readonly string[] | null;
}

/**
 * Refuses a body of a type that the endpoint does not accept, and a caller that accepts no type of the endpoint's
 * answers.
 * @param bodyBytes - the limit of a body in memory, unless the endpoint declares another
 */
export function negotiate(
  endpoint: Endpoint,
  headers: IncomingHttpHeaders,
  bodyBytes: number,
): Negotiated {
  const body = expectedBody(bodyOf(endpoint), headers, bodyBytes);
  if ((headers.accept ?? "").trim() === "") return { body, accept: null };
  const answers = answerTypes(endpoint);
  const accept = new Negotiator({ headers }).mediaTypes([...answers]);
  if (accept.length === 0)
    throw new Refusal("NOT_ACCEPTABLE", {
      detail: `This endpoint answers with ${answers.join(" or ")}; accept one of them, or send no Accept header.`,
    });
  return { body, accept: answers.length === 1 ? null : accept };
}

function expectedBody(
  body: RequestBody | undefined,
  headers: IncomingHttpHeaders,
  bodyBytes: number,
): ExpectedBody | null {
  if (body === undefined) {
    if (!hasBody(headers)) return null;
    throw new Refusal("INVALID_REQUEST", { detail: "This endpoint takes no body." });
  }
  const { "content-encoding": encoding = "identity", "content-type": contentType } = headers;
  // A body without a type may turn out to be empty.
  if (!body.required && contentType === undefined) return null;
  const declared = Object.entries(body.media).find(([type]) => isOfType(contentType ?? "", type));
  if (declared === undefined) throw unsupported(Object.keys(body.media));
  if (encoding !== "identity")
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", {
      detail: "Send the body as it is, without Content-Encoding.",
    });
  const [mediaType, schema] = declared;
  const usual = hasFiles(bodyFormatOf(mediaType)) ? MOST_BODY_BYTES : bodyBytes;
  return {
    mediaType,
    schema,
    contentType: contentType ?? "",
    limitBytes: body.maxBytes ?? usual,
  };
}

/** Reports whether a request announces a body (RFC 9112, section 6). */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reports whether a content type is the declared type, in UTF-8 if it names a charset (RFC 8259, section 8.1). */
function isOfType(contentType: string, declared: string): boolean {
  const [type = "", ...parameters] = contentType.split(";");
  if (type.trim().toLowerCase() !== declared) return false;
  if (hasFiles(bodyFormatOf(declared))) return true;
  return parameters.every((parameter) => /^\s*charset="?utf-8"?\s*$/i.test(parameter));
}
