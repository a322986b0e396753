import { randomUUID } from "node:crypto";

/** Where a request stands in its caller's trace, or in one of our own (W3C Trace Context). */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's part of the trace, 16 hexadecimal digits; null where the trace begins here. */
  readonly parentId: string | null;
  /** The flags that are passed on, of those that are defined. */
  readonly flags: number;
}

/** The headers of a request, with all values: of a repeated `traceparent` none is to be believed. */
export interface TraceHeaders {
  readonly traceparent?: readonly string[] | undefined;
}

/** Gives a random UUID, of version 4 (RFC 9562): Node has them in stock, where random bytes cost ten times as much. */
export type NewUuid = () => string;

/** The caller may have recorded the trace. */
const SAMPLED = 0x01;
/** The trace id was drawn at random (Trace Context Level 2); who did not draw it keeps what it was told. */
const RANDOM_TRACE_ID = 0x02;
/** Of a later version only the one may be read; the others are sent as zero. */
const KNOWN_FLAGS = { current: SAMPLED | RANDOM_TRACE_ID, later: SAMPLED };

/** Section 3.2.2 of the specification: version, trace id, parent id and flags; a later version may have more after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads the caller's trace. One that is not there or not well-formed makes a new one, which leaves recording to others. */
export function traceOf(headers: TraceHeaders, newUuid: NewUuid = randomUUID): Trace {
  const parent = readParent(headers.traceparent ?? []);
  if (parent === null)
    return { traceId: digitsOf(newUuid()), parentId: null, flags: RANDOM_TRACE_ID };
  return parent;
}

/**
 * The headers of one request to an insurer: the same trace, with a parent id of the request's own. `tracestate` is text
 * of the caller's, which nobody declared, and may be left out (section 3.5): it does not cross.
 */
export function headersFor(
  { flags, traceId }: Trace,
  newUuid: NewUuid = randomUUID,
): Readonly<Record<string, string>> {
  const written = flags.toString(16).padStart(2, "0");
  return { traceparent: `00-${traceId}-${digitsOf(newUuid()).slice(16)}-${written}` };
}

function readParent(values: readonly string[]): Trace | null {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return null;
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT.exec(value) ?? [];
  if (version === undefined || traceId === undefined || parentId === undefined) return null;
  // ff is no version, and version 00 ends with its flags.
  if (version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (isNumber(traceId) || isZero(parentId)) return null;
  const known = version === "00" ? KNOWN_FLAGS.current : KNOWN_FLAGS.later;
  return { traceId, parentId, flags: Number.parseInt(flags ?? "", 16) & known };
}

/** Its version and variant are never zero, and its last seven bytes are random, as both ids have to be. */
function digitsOf(uuid: string): string {
  return uuid.replaceAll("-", "");
}

/** No id that was drawn at random has no letter; such a number may be a customer's, and it would stand in the log. */
function isNumber(id: string): boolean {
  return /^\d+$/.test(id);
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
