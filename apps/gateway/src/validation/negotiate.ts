import type { IncomingHttpHeaders } from "node:http";
import type { Endpoint } from "@insurance-gateway/core/contract";
import Negotiator from "negotiator";
import { Refusal } from "../problems/refusal.ts";

/** Refuses a body that is not JSON, and a caller who does not take what the endpoint answers with. */
export function negotiate(endpoint: Endpoint, headers: IncomingHttpHeaders): void {
  const answer = endpoint.file?.mediaType ?? "application/json";
  if (endpoint.body !== undefined && !isJson(headers["content-type"]))
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", { detail: "Send Content-Type: application/json." });
  if (endpoint.body !== undefined && (headers["content-encoding"] ?? "identity") !== "identity")
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", {
      detail: "Send the body as it is, without Content-Encoding.",
    });
  if (endpoint.body === undefined && hasBody(headers))
    throw new Refusal("INVALID_REQUEST", { detail: "This endpoint takes no body." });
  if (
    (headers.accept ?? "").trim() !== "" &&
    new Negotiator({ headers }).mediaType([answer]) === undefined
  )
    throw new Refusal("NOT_ACCEPTABLE", {
      detail: `This endpoint answers with ${answer}; accept that, or send no Accept header.`,
    });
}

/** Whether a request announces a body (RFC 9112, section 6). */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** JSON, in UTF-8 if it says in what (RFC 8259, section 8.1). */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "");
}
