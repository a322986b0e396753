/** Names that belong to the connection or the message's framing, or that the gateway sets itself. */
const TAKEN_HEADER =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|via|proxy-.*|content-.*|accept|idempotency-key|x-request-id|x-sandbox-scenario|traceparent|tracestate)$/i;

/** Whether a credential may be sent in this header. */
export function isFreeHeader(name: string): boolean {
  return !TAKEN_HEADER.test(name);
}

/** Whether a text can be a header's value: printable ASCII, as every server reads it. */
export function isHeaderValue(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}
