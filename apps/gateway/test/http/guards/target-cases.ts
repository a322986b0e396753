import { ask, head, LOOKUP, lookup, type RawCase, refused, row } from "./raw-case.ts";

const NOT_ALLOWED = "405 METHOD_NOT_ALLOWED";

/** Requests with unsupported methods. The connection stays open only after a method that Node can read. */
export const methodCases: readonly RawCase[] = [
  row("TRACE", ask(LOOKUP, "TRACE"), NOT_ALLOWED, "open"),
  row(
    "TRACE without a token",
    head(`TRACE ${LOOKUP} HTTP/1.1`, "host: {host}"),
    NOT_ALLOWED,
    "open",
  ),
  row("CONNECT", ask("{host}", "CONNECT"), NOT_ALLOWED, "closed"),
  row(
    "CONNECT and a request behind it",
    ask("{host}", "CONNECT") + lookup(),
    NOT_ALLOWED,
    "closed",
  ),
  row("CONNECT after a lookup", lookup() + ask("{host}", "CONNECT"), ["200"], "closed"),
  row("OPTIONS", ask(LOOKUP, "OPTIONS"), NOT_ALLOWED, "open"),
  row("PROPFIND", ask(LOOKUP, "PROPFIND"), NOT_ALLOWED, "open"),
  row("QUERY", ask(LOOKUP, "QUERY"), NOT_ALLOWED, "open"),
  row("an unknown method", ask(LOOKUP, "BREW"), NOT_ALLOWED, "closed"),
  row("a method that begins with GET", ask(LOOKUP, "GETS"), NOT_ALLOWED, "closed"),
  row("a method in lower case", ask(LOOKUP, "get"), NOT_ALLOWED, "closed"),
  row("a method of RTSP", head("DESCRIBE /x RTSP/1.0", "host: {host}"), NOT_ALLOWED, "closed"),
  refused("no method", ask(LOOKUP, "")),
  refused("a method with an invalid character", ask(LOOKUP, "G(T")),
];

/** Requests that test the forms of a request target (RFC 9112, section 3.2). */
export const formCases: readonly RawCase[] = [
  row("a target with the same host", ask(`http://{host}${LOOKUP}`), "200", "open"),
  row("a target with the same host and no path", ask("http://{host}?x"), "404 NOT_FOUND", "open"),
  refused("a target with another host", ask(`http://other.example${LOOKUP}`)),
  refused("a target with a user", ask(`http://user@{host}${LOOKUP}`)),
  refused("a target with a user that looks like the host", ask(`http://{host}@other${LOOKUP}`)),
  refused("a target with no host", ask(`http://${LOOKUP}`)),
  refused("a target of another scheme", ask(`ftp://{host}${LOOKUP}`)),
  refused("OPTIONS with the target *", ask("*", "OPTIONS")),
  refused("GET with the target *", ask("*")),
  refused("a host and port as target", ask("{host}")),
  refused("a path without its slash", ask("provider-a/auto/brands")),
  refused("a fragment", ask(`${LOOKUP}#x`)),
  refused("a fragment in the query", ask(`${LOOKUP}?#x`)),
  refused("a backslash at the beginning", ask("\\provider-a\\auto\\brands")),
  refused("a backslash", ask("/provider-a\\auto/brands")),
  refused("a byte over 127", ask("/provider-a/\xce\xb1")),
  refused("a byte over 127 in the query", ask(`${LOOKUP}?\xce\xb1`)),
  refused("a tab", ask("/provider-a/\tx")),
  refused("a control character", ask("/provider-a/\x01x")),
  refused("a NUL", ask("/provider-a/\0x")),
  refused("a space", ask("/provider-a/auto brands")),
  refused(
    "a space at the end of the request line",
    head(`GET ${LOOKUP} HTTP/1.1 `, "host: {host}"),
  ),
  refused("tabs in the request line", head(`GET\t${LOOKUP}\tHTTP/1.1`, "host: {host}")),
  row("two spaces before the target", ask(` ${LOOKUP}`), "200", "open"),
  row("a path of 9 kB", ask(`/${"y".repeat(9_000)}`), "404 NOT_FOUND", "open"),
  row("a path of 17 kB", ask(`/${"y".repeat(17_000)}`), "431 HEADERS_TOO_LARGE", "open"),
];

const ambiguous = (path: string): RawCase => row(path, ask(path), "400 INVALID_REQUEST", "open");
const notFound = (path: string): RawCase => row(path, ask(path), "404 NOT_FOUND", "open");

/** Requests with paths that two readers could understand in two ways, and with paths without a route. */
export const pathCases: readonly RawCase[] = [
  ambiguous("/provider-a/..%2fauto/brands"),
  ambiguous("/provider-a/%2e%2e/brands"),
  ambiguous("/provider-a/.%2E/brands"),
  ambiguous("/provider-a/../provider-a/auto/brands"),
  ambiguous("/./provider-a/auto/brands"),
  ambiguous("/provider-a/auto/brands/.."),
  ambiguous("/provider-a/%252e%252e/brands"),
  ambiguous("/provider-a/%25252e%25252e/brands"),
  ambiguous("/provider-a/auto%2fbrands"),
  ambiguous("/provider-a/auto%252fbrands"),
  ambiguous("/provider-a/%5c..%5cbrands"),
  ambiguous("/provider-a/x%00"),
  ambiguous("/provider-a/x%2500"),
  ambiguous("/provider-a/x%0d%0ax:%20y"),
  ambiguous("/provider-a/x%7f"),
  ambiguous("//provider-a/auto/brands"),
  ambiguous("/provider-a//auto/brands"),
  ambiguous("/submissions/..%2f.."),
  notFound("/provider-a/%c0%ae%c0%ae/brands"),
  notFound("/provider-a/%E0%A4%A"),
  notFound("/provider-a/%zz"),
  notFound("/provider-a/auto/brands/"),
  notFound("/provider-a/auto/brands;x=1"),
  notFound("/provider-a/..;/brands"),
  notFound("/provider-a/.../brands"),
  notFound("/provider-a/100%25"),
  row("a letter that need not be encoded", ask("/provider-a/auto/bran%64s"), "200", "open"),
  row(
    "an ambiguous path without a token",
    head("GET /provider-a/..%2f.. HTTP/1.1", "host: {host}"),
    "401 UNAUTHENTICATED",
    "open",
  ),
];

const SEARCH = "/provider-d/applications/search?clientAfm=123456789";
const INVALID = "400 VALIDATION_FAILED";

/** Requests that test queries. */
export const queryCases: readonly RawCase[] = [
  row("an empty query", ask(`${LOOKUP}?`), "200", "open"),
  row("a search", ask(SEARCH), "200", "open"),
  row("encoded digits", ask(SEARCH.replace("123", "%31%32%33")), "200", "open"),
  row("an unknown parameter", ask(`${LOOKUP}?x=1`), INVALID, "open"),
  row("a parameter without a value", ask(`${LOOKUP}?x`), INVALID, "open"),
  row("a list in brackets", ask(`${LOOKUP}?x[]=1`), INVALID, "open"),
  row("a declared parameter as a list", ask(SEARCH.replace("Afm", "Afm[]")), INVALID, "open"),
  row("a parameter `__proto__`", ask(`${SEARCH}&__proto__=1`), INVALID, "open"),
  row("a field of a parameter `__proto__`", ask(`${SEARCH}&__proto__[x]=1`), INVALID, "open"),
  row("a parameter `constructor`", ask(`${SEARCH}&constructor=1`), INVALID, "open"),
  row("semicolons between parameters", ask(`${SEARCH};limit=5`), INVALID, "open"),
  row("a repeated parameter", ask(`${SEARCH}&clientAfm=123456789`), INVALID, "open"),
  row("a name in lower case", ask(SEARCH.replace("clientAfm", "clientafm")), INVALID, "open"),
  row("a plus before a number", ask(`${SEARCH}&limit=+5`), INVALID, "open"),
  row("two question marks", ask(SEARCH.replace("?", "??")), INVALID, "open"),
  row("a query of 9 kB", ask(`${LOOKUP}?${"y".repeat(9_000)}`), INVALID, "open"),
  row("a query that cannot be decoded", ask(`${SEARCH}&x=%zz`), "400 INVALID_REQUEST", "open"),
  row("a query that is not UTF-8", ask(`${SEARCH}&x=%c0%ae`), "400 INVALID_REQUEST", "open"),
];
