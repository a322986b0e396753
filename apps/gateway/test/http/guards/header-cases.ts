import {
  ask,
  chunked,
  head,
  LENGTH,
  LOOKUP,
  lookup,
  QUOTE,
  quote,
  type RawCase,
  refused,
  row,
} from "./raw-case.ts";

const TOKEN = "authorization: Bearer {token}";
const FIRST = `GET ${LOOKUP} HTTP/1.1`;
const withHost = (host: string): string => head(FIRST, `host: ${host}`, TOKEN);
const fillers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `x-${index}: 1`);

/** Requests that test the form of headers (RFC 9110, section 5; RFC 9112, section 5). */
export const formCases: readonly RawCase[] = [
  refused("a folded header", lookup("x: a\r\n b")),
  refused("a NUL in a value", lookup("x: a\0b")),
  refused("a NUL in a name", lookup("x\0: b")),
  refused("a control character in a value", lookup("x: a\x01b")),
  refused("a DEL in a value", lookup("x: a\x7fb")),
  refused("a space before the colon", lookup("x : b")),
  refused("a space before the first header", head(FIRST, " host: {host}", TOKEN)),
  refused("a header without a colon", lookup("x")),
  refused("a header without a name", lookup(": x")),
  row("a byte over 127 in an unused value", lookup("x: a\xe9b"), "200", "open"),
  row("underscores in names", lookup("content_length: 5", "x_forwarded_for: 1"), "200", "open"),
  row("100 headers", lookup(...fillers(98)), "200", "open"),
  row("101 headers", lookup(...fillers(99)), "431 HEADERS_TOO_LARGE", "open"),
  row("3000 headers", lookup(...fillers(2_998)), "431 HEADERS_TOO_LARGE", "closed"),
  row("17 kB of headers", lookup(`x: ${"y".repeat(17_000)}`), "431 HEADERS_TOO_LARGE", "open"),
  row("34 kB of headers", lookup(`x: ${"y".repeat(34_000)}`), "431 HEADERS_TOO_LARGE", "closed"),
  row("a 17 kB name", lookup(`${"y".repeat(17_000)}: x`), "431 HEADERS_TOO_LARGE", "open"),
  row("a 17 kB address", ask(`${LOOKUP}?${"y".repeat(17_000)}`), "431 HEADERS_TOO_LARGE", "open"),
];

/** Requests that test the Host header (RFC 9110, section 7.2). */
export const hostCases: readonly RawCase[] = [
  refused("no Host", head(FIRST, TOKEN)),
  refused("the same Host twice", lookup("host: {host}")),
  refused("two Hosts", lookup("HOST: other.example")),
  refused("an empty Host", withHost("")),
  refused("a Host with a path", withHost("example.com/a")),
  refused("a Host with a user", withHost("user@example.com")),
  refused("a Host with a space", withHost("a b")),
  refused("a list of Hosts", withHost("a, b")),
  refused("a Host with a port that is no number", withHost("a:b")),
  refused("a Host with a scheme", withHost("http://a")),
  refused("a Host with a byte over 127", withHost("\xce\xb1")),
  row("a Host that is an IPv6 address", withHost("[::1]:80"), "200", "open"),
  row("a Host with an underscore", withHost("gateway_1:8080"), "200", "open"),
];

const old = (version: string, ...lines: readonly string[]): string =>
  head(`GET ${LOOKUP} ${version}`, "host: {host}", TOKEN, ...lines);

const NO_EXPECTATION = "400 INVALID_REQUEST";

/** Requests with headers that affect how the gateway handles a request. */
export const meaningCases: readonly RawCase[] = [
  refused("the same token twice", lookup(TOKEN)),
  refused("two tokens", lookup("AUTHORIZATION: Bearer x")),
  refused("two content types", quote(QUOTE, LENGTH, "content-type: text/plain")),
  row(
    "two idempotency keys",
    quote(QUOTE, LENGTH, "idempotency-key: a", "Idempotency-Key: b"),
    "400 INVALID_REQUEST unknown",
    "closed",
  ),
  refused("two sandbox scenarios", lookup("x-sandbox-scenario: A", "x-sandbox-scenario: B")),
  refused(
    "an upgrade to HTTP/2",
    lookup("connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABk"),
  ),
  refused(
    "an upgrade to a WebSocket",
    lookup("connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"),
  ),
  refused("an Upgrade that Connection does not name", lookup("upgrade: h2c")),
  row("a supported expectation", quote(QUOTE, LENGTH, "expect: 100-continue"), "200", "open"),
  row("an unsupported expectation", lookup("expect: 200-ok"), NO_EXPECTATION, "closed"),
  row("several expectations", lookup("expect: 100-continue, x"), NO_EXPECTATION, "closed"),
  row(
    "an unsupported expectation and an idempotency key",
    quote(QUOTE, LENGTH, "expect: x", "idempotency-key: a"),
    "400 INVALID_REQUEST unknown",
    "closed",
  ),
  row("an unsupported expectation in HTTP/1.0", old("HTTP/1.0", "expect: x"), "200", "closed"),
  row(
    "a compressed body",
    quote(QUOTE, LENGTH, "content-encoding: gzip"),
    "415 UNSUPPORTED_MEDIA_TYPE",
    "open",
  ),
  row(
    "a body in another character set",
    quote(QUOTE, LENGTH).replace("application/json", "application/json; charset=latin1"),
    "415 UNSUPPORTED_MEDIA_TYPE",
    "open",
  ),
  row("a header that Connection names", lookup("connection: authorization"), "200", "open"),
];

/** Requests that test the version of HTTP (RFC 9112, section 2.3). */
export const versionCases: readonly RawCase[] = [
  refused("a request of HTTP/0.9", `GET ${LOOKUP}\r\n\r\n`),
  refused("the version HTTP/0.9", old("HTTP/0.9")),
  row("HTTP/1.0", old("HTTP/1.0"), "200", "closed"),
  row("HTTP/1.0 without Host", head(`GET ${LOOKUP} HTTP/1.0`, TOKEN), "200", "closed"),
  row("HTTP/1.0 that is kept alive", old("HTTP/1.0", "connection: keep-alive"), "200", "open"),
  refused(
    "HTTP/1.0 with chunks",
    quote(chunked(), "transfer-encoding: chunked").replace("HTTP/1.1", "HTTP/1.0"),
  ),
  refused("HTTP/1.2", old("HTTP/1.2")),
  refused("HTTP/1.10", old("HTTP/1.10")),
  refused("HTTP/2.0", old("HTTP/2.0")),
  refused("HTTP/3.0", old("HTTP/3.0")),
  refused("a version in lower case", old("http/1.1")),
];
