import { valueAt } from "./pointer.ts";

/** The outcome of a call that an error answer of the insurer proves. */
export type FailureOutcome = "rejected" | "not_sent" | "unknown";

/** The codes that a client can receive for an error answer of the insurer. */
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

/** A code that a client can receive for an error answer of the insurer. */
export type FailureCode = (typeof failureCodes)[number];

/** One row that interprets an insurer's error answers. The first matching row applies. */
export interface FailureRow {
  /**
   * The insurer's status, several, or `4xx`: all client errors except `notInFamily`. For submissions, `4xx` needs `is`.
   */
  readonly status: number | readonly number[] | "4xx";
  /** The media type of the insurer's error format. Default: any except HTML. */
  readonly media?: string;
  /** The JSON Pointer of the error code in the answer. For XML, it points into the adapter's decoded value. */
  readonly at?: string;
  /**
   * The error codes to which the row applies: `["MTR-1042"]`, or `["MTR-####"]`, where # is any digit. A JSON number
   * is compared as text: `["1042"]`. Default: any code; for a submission, any code that proxies do not write
   * (`isProxysCode`).
   */
  readonly is?: readonly string[];
  readonly code: FailureCode;
  readonly outcome: FailureOutcome;
  /**
   * True if the row also applies to the later requests that query a submission's result. Default: false, because a
   * query that does not find the result yet proves nothing.
   */
  readonly afterActing?: boolean;
  /** The text for the client: what happened and what to do next. Default: the text of the code. */
  readonly text?: string;
  /** The reason why the answer proves the outcome, such as the section of the insurer's manual. */
  readonly why: string;
}

/** An error answer of an insurer, for comparison with the rows of `failures`. */
export interface InsurerFailure {
  readonly status: number;
  /** True if the call is a submission. */
  readonly acts: boolean;
  /** Without parameters, in lower case. */
  readonly mediaType: string;
  /** The content, as JSON. */
  readonly content: unknown;
}

/**
 * Finds the first row that matches an answer. An HTML page matches no row: a proxy or web server can send a page before
 * or after the insurer acted.
 */
export function failureRowOf(
  rows: readonly FailureRow[],
  failure: InsurerFailure,
): FailureRow | undefined {
  if (isHtml(failure.mediaType)) return undefined;
  return rows.find((row) => matchesStatus(row, failure.status) && matchesContent(row, failure));
}

/** Reports whether a media type is HTML, with which a web server or firewall in front of the insurer answers. */
export function isHtml(mediaType: string): boolean {
  return mediaType === "text/html" || mediaType === "application/xhtml+xml";
}

/** Client errors that `4xx` does not include: a proxy can send them, even after the insurer acted. */
export const notInFamily: readonly number[] = [
  401, 403, 407, 408, 409, 421, 424, 425, 429, 444, 460, 499,
];

/** The character that stands for any digit in a row's code. */
export const DIGIT = "#";

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
  return is === undefined
    ? !(failure.acts && isProxysCode(code, failure.mediaType))
    : is.some((own) => isCode(own, code));
}

/** The codes of gRPC, and the fault codes of SOAP 1.1 and 1.2. */
const protocolCodes: readonly string[] = [
  ..."CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS".split(" "),
  ..."PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE".split(" "),
  ..."UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED".split(" "),
  ..."Client Server Sender Receiver MustUnderstand VersionMismatch DataEncodingUnknown".split(" "),
];

/**
 * Reports whether a proxy may write this code, too: a number of gRPC or HTTP, or a word of gRPC or SOAP. A pattern of
 * digits alone includes such numbers. In a problem (RFC 9457), a word is the insurer's, because no proxy writes the
 * words of gRPC there.
 */
export function isProxysCode(code: string, media?: string): boolean {
  if (media !== "application/problem+json" && protocolCodes.includes(code)) return true;
  if (!/^[\d#.+-]+$/.test(code)) return false;
  const value = Number(code);
  return code.includes(DIGIT) || value <= 16 || (value >= 100 && value <= 599);
}

function isCode(own: string, code: string): boolean {
  const pattern = code.replaceAll(/\d/g, (digit, at: number) =>
    own.charAt(at) === DIGIT ? DIGIT : digit,
  );
  return pattern === own;
}
