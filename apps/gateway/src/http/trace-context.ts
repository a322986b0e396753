import { randomUUID } from "node:crypto";

/** Returns random hexadecimal digits for this number of bytes, at most 16. */
export type CreateRandomHex = (bytes: number) => string;

/** The trace to which a request belongs, and the request's place in the trace (W3C Trace Context). */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The parent id in the caller's trace, 16 hexadecimal digits; null if the trace begins here. */
  readonly parentId: string | null;
  /** The flags to pass on to the insurer, without the flags that the specification does not define. */
  readonly flags: number;
}

/** The headers of a request, each with all its values, because a `traceparent` that is sent twice is ignored. */
export interface TraceHeaders {
  readonly traceparent?: readonly string[] | undefined;
}

/** Flag: the caller may have recorded the trace. */
const SAMPLED_FLAG = 0x01;
/** Flag: the trace id is random (Trace Context Level 2). A gateway that did not generate the id passes the flag on. */
const RANDOM_ID_FLAG = 0x02;
/** The flags that may be read. In a later version only the first flag may be read, and the others are sent as zero. */
const READABLE_FLAGS = { current: SAMPLED_FLAG | RANDOM_ID_FLAG, later: SAMPLED_FLAG };

/** Version, trace id, parent id and flags (section 3.2.2); a later version may have more after a dash. */
const TRACEPARENT_PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Returns the caller's trace, or a new trace (not marked as recorded) if the caller sends none that is well-formed. */
export function traceOf(headers: TraceHeaders, newHex: CreateRandomHex = randomHex): Trace {
  const parent = readCallersTrace(headers.traceparent ?? []);
  return parent ?? { traceId: newHex(16), parentId: null, flags: RANDOM_ID_FLAG };
}

/**
 * Returns the trace headers of one request to an insurer: the same trace with a new parent id. The caller's
 * `tracestate` is unchecked text and may be omitted (section 3.5), so the gateway does not pass it on.
 */
export function traceHeadersFor(
  { flags, traceId }: Trace,
  newHex: CreateRandomHex = randomHex,
): Readonly<Record<string, string>> {
  const written = flags.toString(16).padStart(2, "0");
  return { traceparent: `00-${traceId}-${newHex(8)}-${written}` };
}

function readCallersTrace(values: readonly string[]): Trace | null {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return null;
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT_PATTERN.exec(value) ?? [];
  if (version === undefined || traceId === undefined || parentId === undefined) return null;
  // ff is not a version, and version 00 ends with its flags.
  if (version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (hasOnlyDigits(traceId) || hasOnlyZeros(parentId)) return null;
  const known = version === "00" ? READABLE_FLAGS.current : READABLE_FLAGS.later;
  return { traceId, parentId, flags: Number.parseInt(flags ?? "", 16) & known };
}

/**
 * Returns random digits from the end of a UUID: Node creates many UUIDs at once. A UUID ends with 7 random bytes, as
 * Level 2 requires.
 */
function randomHex(bytes: number): string {
  return randomUUID()
    .replaceAll("-", "")
    .slice(-2 * bytes);
}

/**
 * Reports whether an id has only decimal digits. Such an id could be a customer's number, which the log must not
 * contain.
 */
function hasOnlyDigits(id: string): boolean {
  return /^\d+$/.test(id);
}

function hasOnlyZeros(id: string): boolean {
  return /^0+$/.test(id);
}
