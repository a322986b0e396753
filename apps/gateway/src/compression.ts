import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Negotiator from "negotiator";

const WORTH_COMPRESSING_BYTES = 1_024;
const compressInThreadPool = promisify(gzip);

/** Compresses a text with gzip (RFC 1952), outside the event loop. Returns null if the result would not be much smaller. */
export async function compress(text: Uint8Array): Promise<Buffer | null> {
  if (text.length <= WORTH_COMPRESSING_BYTES) return null;
  const compressed = await compressInThreadPool(text);
  // Copied, because it is the beginning of a longer buffer of zlib's.
  return compressed.length < text.length * 0.9 ? Buffer.from(compressed) : null;
}

/** Whether a caller prefers gzip to the plain content, by its `Accept-Encoding` (RFC 9110, section 12.5.3). */
export function prefersGzip(headers: IncomingHttpHeaders): boolean {
  if (headers["accept-encoding"] === undefined) return false;
  return new Negotiator({ headers }).encoding(["gzip", "identity"]) === "gzip";
}
