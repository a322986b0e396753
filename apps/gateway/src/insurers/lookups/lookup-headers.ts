import { hash } from "node:crypto";
import { compress } from "../../http/compression.ts";
import type { UpstreamAnswer } from "../answers/upstream-answer.ts";

/** Callers keep an answer for an hour at most, so that what the operator drops is not theirs for longer. */
const CALLERS_KEEP_MS = 3_600_000;

/** Adds for how long a caller may keep an answer, and how old it is, to one from memory. */
export function fromMemory(
  answer: UpstreamAnswer,
  ageMs: number,
  withinMs: number,
): UpstreamAnswer {
  const left = Math.floor((withinMs - ageMs) / 1_000);
  return withHeaders(answer, {
    "cache-control": freshness(ageMs, withinMs),
    age: String(Math.floor(ageMs / 1_000)),
    "cache-status": `insurance-gateway; hit; ttl=${left}`,
  });
}

/** Adds for how long a caller may keep an answer that the insurer has just given. */
export function withFreshness(answer: UpstreamAnswer, withinMs: number): UpstreamAnswer {
  return withHeaders(answer, { "cache-control": freshness(0, withinMs) });
}

/** Counted from when the insurer gave the answer, as `Age` is (RFC 9111, section 4.2). */
function freshness(ageMs: number, withinMs: number): string {
  if (withinMs === 0) return "private, no-cache";
  return `private, max-age=${Math.floor(Math.min(withinMs, ageMs + CALLERS_KEEP_MS) / 1_000)}`;
}

/** Marks an answer as stale: Age (RFC 9111, section 5.1) and Cache-Status (RFC 9211), with no freshness left. */
export function stale(answer: UpstreamAnswer, ageMs: number, reason: string): UpstreamAnswer {
  const age = String(Math.floor(ageMs / 1_000));
  return withHeaders(answer, {
    age,
    "cache-control": "no-store",
    "cache-status": `insurance-gateway; hit; ttl=-${age}; detail=${reason}`,
  });
}

/** Marks an answer of a call that another caller began (RFC 9211, section 2.7). */
export function collapsed(answer: UpstreamAnswer): UpstreamAnswer {
  return withHeaders(answer, { "cache-status": "insurance-gateway; fwd=miss; collapsed" });
}

/** Gives an answer an ETag of its content, unless the insurer gave it one. */
export function withValidator(answer: UpstreamAnswer): UpstreamAnswer {
  if (answer.headers.etag !== undefined) return answer;
  const etag = `"${hash("sha256", answer.bytes ?? String(answer.content), "base64url")}"`;
  return withHeaders(answer, { etag });
}

/** Adds a request header that chose the answer to `Vary`. */
export function chosenBy(answer: UpstreamAnswer, name: string): UpstreamAnswer {
  const { vary = "" } = answer.headers;
  const names = vary === "" ? [] : vary.split(", ");
  return names.includes(name) ? answer : withHeaders(answer, { vary: [...names, name].join(", ") });
}

/**
 * Counts the bytes of an answer and compresses it, once for all callers. The compressed content is other bytes under the same
 * ETag, which is therefore weak (RFC 9110, section 8.8.3.3).
 */
export async function prepared(answer: UpstreamAnswer): Promise<UpstreamAnswer> {
  const { bytes, content, headers } = answer;
  const text = String(content);
  const counted =
    bytes === undefined ? { contentLength: answer.contentLength ?? Buffer.byteLength(text) } : {};
  const compressed = await compress(bytes ?? Buffer.from(text));
  if (compressed === null) return { ...answer, ...counted };
  const { etag = "" } = headers;
  const weak = withHeaders(answer, { etag: etag.startsWith("W/") ? etag : `W/${etag}` });
  return chosenBy({ ...weak, ...counted, compressed }, "accept-encoding");
}

function withHeaders(answer: UpstreamAnswer, added: UpstreamAnswer["headers"]): UpstreamAnswer {
  return { ...answer, headers: { ...answer.headers, ...added } };
}
