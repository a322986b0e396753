import { valueAt } from "./pointer.ts";

/** What an answer of the insurer's that is no success proves about the call. */
export type FailureOutcome = "rejected" | "not_sent" | "unknown";

/** The codes that a caller can get for a refusal of the insurer's. */
export const failureCodes = [
  "PROVIDER_REJECTED",
  "BROKER_LIMIT_EXCEEDED",
  "DUPLICATE_APPLICATION",
  "APPLICATION_NOT_FOUND",
  "DOCUMENT_NOT_READY",
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_AUTH_FAILED",
  "INVALID_INPUT",
  "RESOURCE_NOT_FOUND",
  "CONFLICT",
  "NOT_ALLOWED",
  "TOO_MANY",
] as const;

/** One of these codes. */
export type FailureCode = (typeof failureCodes)[number];

/** One row of what an insurer's refusals mean: the first row that an answer matches counts. */
export interface FailureRow {
  /** The insurer's status, several, or a family: `4xx` is each but 401, 403, 407, 408, 409, 425 and 429. */
  readonly status: number | readonly number[] | "4xx";
  /** The media type of the insurer's own error format; any but HTML when left out. */
  readonly media?: string;
  /** Where the answer has its code, as a JSON Pointer; of an answer in XML, a pointer into what the adapter made of it. */
  readonly at?: string;
  /** The codes that the row is for; any, if there is one, when left out. */
  readonly is?: readonly string[];
  readonly code: FailureCode;
  readonly outcome: FailureOutcome;
  /**
   * Whether it proves its outcome also where a later request of a submission is refused so: one that asks what became of
   * it. A read that finds nothing yet proves nothing.
   */
  readonly afterActing?: boolean;
  /** What the caller reads: what happened and what to do next. The code's own text when left out. */
  readonly text?: string;
  /** Why it proves its outcome: where the insurer documents it. */
  readonly why: string;
}

/** An insurer's answer that is no success, as the rows of `failures` are compared with it. */
export interface InsurerFailure {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly mediaType: string;
  /** What it says, as JSON. */
  readonly content: unknown;
}

/**
 * Finds the row that an answer matches, the first of the given rows. An HTML page matches none: whatever stands before
 * an insurer can write one, before or after the insurer acted.
 */
export function failureRowOf(
  rows: readonly FailureRow[],
  failure: InsurerFailure,
): FailureRow | undefined {
  if (isHtml(failure.mediaType)) return undefined;
  return rows.find((row) => matchesStatus(row, failure.status) && matchesContent(row, failure));
}

/** Whether a media type is HTML, which a web server or firewall in front of the insurer answers with. */
export function isHtml(mediaType: string): boolean {
  return mediaType === "text/html" || mediaType === "application/xhtml+xml";
}

/** The client errors that no family of rows contains: what stands before the insurer answers with them, too. */
export const notInFamily: readonly number[] = [401, 403, 407, 408, 409, 425, 429];

function matchesStatus({ status }: FailureRow, found: number): boolean {
  if (status === "4xx") return found >= 400 && found <= 499 && !notInFamily.includes(found);
  return typeof status === "number" ? status === found : status.includes(found);
}

function matchesContent({ at, is, media }: FailureRow, failure: InsurerFailure): boolean {
  if (media !== undefined && media !== failure.mediaType) return false;
  if (at === undefined) return true;
  const value = valueAt(failure.content, at);
  const code = typeof value === "number" ? String(value) : value;
  if (typeof code !== "string" || code === "") return false;
  return is === undefined || is.includes(code);
}
