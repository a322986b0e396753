import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Negotiator from "negotiator";

const MIN_BYTES_TO_COMPRESS = 1_024;
const compressInThreadPool = promisify(gzip);

/** Compresses a text with gzip (RFC 1952) in another thread; null if there is no memory, or gzip saves little. */
export async function compress(text: Uint8Array): Promise<Buffer | null> {
  if (text.length <= MIN_BYTES_TO_COMPRESS) return null;
  const compressed = await compressInThreadPool(text).catch(() => null);
  if (compressed === null || compressed.length >= text.length * 0.9) return null;
  // The copy has separate memory: zlib returns a part of a larger buffer, and the whole buffer would stay in memory.
  const own = Buffer.allocUnsafeSlow(compressed.length);
  compressed.copy(own);
  return own;
}

/** Reports whether a caller prefers gzip to plain content, by its `Accept-Encoding` (RFC 9110, section 12.5.3). */
export function prefersGzip(headers: IncomingHttpHeaders): boolean {
  if (headers["accept-encoding"] === undefined) return false;
  return new Negotiator({ headers }).encoding(["gzip", "identity"]) === "gzip";
}
