/** Bytes that a caller sends, and the expected result. */
export interface RawCase {
  /** Name of the case, as a noun phrase. */
  readonly name: string;
  /** One character for each byte; {host} and {token} are placeholders for the gateway's address and a valid token. */
  readonly bytes: string;
  /** The expected answers in order: `200`, or status and code of a problem. Only a 200 means a call to an insurer. */
  readonly answers: readonly string[];
  readonly afterwards: "open" | "closed";
  /** True if the caller ends its side of the connection after these bytes. */
  readonly end: boolean;
}

/** Creates a case whose caller keeps its side of the connection open. */
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

/** Creates a case whose caller ends its side of the connection after the bytes. */
export function cutOff(name: string, bytes: string, ...answers: readonly string[]): RawCase {
  return { name, bytes, answers, afterwards: "closed", end: true };
}

/** Creates a case of an ambiguous request, with the usual result: a refusal that ends the connection. */
export function refused(name: string, bytes: string): RawCase {
  return row(name, bytes, "400 INVALID_REQUEST", "closed");
}

/** Joins lines with the line ends of HTTP, and adds an empty line. */
export function head(...lines: readonly string[]): string {
  return [...lines, "", ""].join("\r\n");
}

/** The path of a lookup. */
export const LOOKUP = "/provider-a/auto/brands";

/** Writes a valid lookup with additional headers. */
export function lookup(...lines: readonly string[]): string {
  return head(`GET ${LOOKUP} HTTP/1.1`, "host: {host}", "authorization: Bearer {token}", ...lines);
}

/** Writes a request with a valid token for any target. */
export function ask(target: string, method = "GET"): string {
  return head(`${method} ${target} HTTP/1.1`, "host: {host}", "authorization: Bearer {token}");
}

/** The body of a quote. */
export const QUOTE = '{"personDob":"1985-06-15","monthlyContribution":100,"durationYears":20}';

/** Writes a quote. The quote is valid with the header `LENGTH` and the body `QUOTE`. */
export function quote(body: string, ...lines: readonly string[]): string {
  const first = "POST /provider-e/life/core/fast-pension-quote HTTP/1.1";
  const fixed = ["host: {host}", "authorization: Bearer {token}", "content-type: application/json"];
  return head(first, ...fixed, ...lines) + body;
}

/** The header with the length of a quote's body. */
export const LENGTH: string = `content-length: ${QUOTE.length}`;

/** Writes the body of a quote in one chunk. `after` follows the size of the chunk. */
export function chunked(after = "\r\n", trailers = ""): string {
  return `${QUOTE.length.toString(16)}${after}${QUOTE}\r\n0\r\n${trailers}\r\n`;
}
