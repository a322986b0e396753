/**
 * Names of headers that concern the connection or the message's length, and of headers that the gateway itself sets.
 */
const RESERVED_HEADER =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|via|proxy-.*|content-.*|accept|idempotency-key|x-request-id|x-sandbox-scenario|traceparent|tracestate)$/i;

/** Reports whether a credential may be sent in this header. */
export function isAllowedHeader(name: string): boolean {
  return !RESERVED_HEADER.test(name);
}

/** Reports whether a text is printable ASCII, which every server can read as a header's value. */
export function isHeaderValue(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}
