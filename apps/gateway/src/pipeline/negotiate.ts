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

/** The negotiated facts: the body to read, and the media types in which the caller accepts the answer. */
export interface NegotiatedTypes {
  /** The body that the request's headers announce; null for a request without a body. */
  readonly body: ExpectedBody | null;
  /** The accepted media types of the answer, the preferred type first; null if the endpoint has no choice of types. */
  readonly accept: readonly string[] | null;
}

/**
 * Refuses a body whose type the endpoint does not accept, and a caller that accepts no type of the endpoint's answers.
 * @param bodyBytes - the configured maximum of a body in memory; the endpoint may declare another
 */
export function negotiateMediaTypes(
  endpoint: Endpoint,
  headers: IncomingHttpHeaders,
  bodyBytes: number,
): NegotiatedTypes {
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
  // An optional body without a Content-Type may turn out to be empty.
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

/** Reports whether a request's headers announce a body (RFC 9112, section 6). */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reports whether a Content-Type is the declared type; a charset, if named, must be UTF-8 (RFC 8259, section 8.1). */
function isOfType(contentType: string, declared: string): boolean {
  const [type = "", ...parameters] = contentType.split(";");
  if (type.trim().toLowerCase() !== declared) return false;
  if (hasFiles(bodyFormatOf(declared))) return true;
  return parameters.every((parameter) => /^\s*charset="?utf-8"?\s*$/i.test(parameter));
}
