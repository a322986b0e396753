/** Bytes of a caller, and the expected result. */
export interface RawCase {
  /** Completes "a request with …" or is a name of its own. */
  readonly name: string;
  /** One character for each byte; {host} and {token} stand for the gateway's address and a valid token. */
  readonly bytes: string;
  /** The answers in their order: `200`, or the status and code of a problem. Nothing but a 200 reaches an insurer. */
  readonly answers: readonly string[];
  readonly afterwards: "open" | "closed";
  /** Whether the caller says, after these bytes, that it sends no more. */
  readonly end: boolean;
}

/** A case whose caller does not say that it sends no more. */
export function row(
  name: string,
  bytes: string,
  answers: string | readonly string[],
  afterwards: RawCase["afterwards"],
): RawCase {
  return {
    name,
    bytes,
    answers: typeof answers === "string" ? [answers] : answers,
    afterwards,
    end: false,
  };
}

/** A case whose caller says, after its bytes, that it sends no more: its connection ends in any case. */
export function cutOff(name: string, bytes: string, ...answers: readonly string[]): RawCase {
  return { name, bytes, answers, afterwards: "closed", end: true };
}

/** The most common answer: the request could be understood in two ways, and so could what follows it. */
export function refused(name: string, bytes: string): RawCase {
  return row(name, bytes, "400 INVALID_REQUEST", "closed");
}

/** Lines as HTTP ends them, and the empty line after them. */
export function head(...lines: readonly string[]): string {
  return [...lines, "", ""].join("\r\n");
}

/** The path of a lookup. */
export const LOOKUP = "/provider-a/auto/brands";

/** A lookup that is answered, with further headers. */
export function lookup(...lines: readonly string[]): string {
  return head(`GET ${LOOKUP} HTTP/1.1`, "host: {host}", "authorization: Bearer {token}", ...lines);
}

/** A request for a target, with a token. */
export function ask(target: string, method = "GET"): string {
  return head(`${method} ${target} HTTP/1.1`, "host: {host}", "authorization: Bearer {token}");
}

/** The body of a quote. */
export const QUOTE = '{"personDob":"1985-06-15","monthlyContribution":100,"durationYears":20}';

/** A quote with these headers and this body; with `Content-Length` and the body above, it is answered. */
export function quote(body: string, ...lines: readonly string[]): string {
  const first = "POST /provider-e/life/core/fast-pension-quote HTTP/1.1";
  const fixed = ["host: {host}", "authorization: Bearer {token}", "content-type: application/json"];
  return head(first, ...fixed, ...lines) + body;
}

/** The header that says how long the body of a quote is. */
export const LENGTH: string = `content-length: ${QUOTE.length}`;

/** Writes the body of a quote in one chunk, with `after` behind its size. */
export function chunked(after = "\r\n", trailers = ""): string {
  return `${QUOTE.length.toString(16)}${after}${QUOTE}\r\n0\r\n${trailers}\r\n`;
}
