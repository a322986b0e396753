import type { IncomingMessage } from "node:http";
import { kindPolicies, Refusal } from "@insurance-gateway/core/runtime";
import type { LimitsConfiguration } from "../configuration/file.ts";
import { formatBytes } from "../http/quantities.ts";
import { type RequestTarget, splitTarget } from "./target.ts";

/** The parts of a request that the guard step checks. */
export type GuardedRequest = Pick<
  IncomingMessage,
  "headers" | "httpVersion" | "method" | "rawHeaders" | "url"
>;

/** Headers that a request may have only once: servers could otherwise use different values. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "authorization",
  "content-type",
  "idempotency-key",
  "x-sandbox-scenario",
]);
/** A host name or IP address, with or without a port (RFC 9110, section 7.2). */
const HOST_PATTERN = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?$/;

/** The methods that endpoints use, for an `Allow` header. */
const methodsOfEndpoints: readonly string[] = [
  ...new Set(Object.values(kindPolicies).flatMap(({ methods }) => methods)),
];
/**
 * Methods that the guard step accepts although no endpoint uses them: the route table's refusal names the path's
 * methods.
 */
const METHODS_OF_EVERY_PATH = ["HEAD", "OPTIONS"];

/**
 * Refuses requests that HTTP servers could understand in different ways, regardless of the endpoint.
 * @returns the target of an accepted request
 * @throws Refusal
 */
export function guardRequest(request: GuardedRequest, limits: LimitsConfiguration): RequestTarget {
  const { method = "", url = "" } = request;
  if (request.rawHeaders.length / 2 > limits.headers) throw tooManyHeaders(limits);
  if (bytesOfHeaders(request) > limits.headerBytes) throw headersTooLarge(limits);
  if (!methodsOfEndpoints.includes(method) && !METHODS_OF_EVERY_PATH.includes(method))
    throw methodNotAllowed();
  const target = splitTarget(url);
  const fault =
    versionFault(request) ??
    repetitionFault(request) ??
    targetFault(request, target) ??
    framingFault(request) ??
    expectationFault(request);
  // After an ambiguous request, the next bytes could be a second request, so the connection must end.
  if (fault !== null || target === null)
    throw new Refusal("INVALID_REQUEST", {
      detail: fault ?? INVALID_TARGET,
      headers: { connection: "close" },
    });
  return target;
}

/** Returns the refusal of a method that no endpoint uses. */
export function methodNotAllowed(): Refusal {
  const allow = methodsOfEndpoints.join(", ");
  return new Refusal("METHOD_NOT_ALLOWED", {
    detail: `The gateway supports only the methods ${allow}.`,
    headers: { allow },
  });
}

function tooManyHeaders({ headers }: LimitsConfiguration): Refusal {
  return new Refusal("HEADERS_TOO_LARGE", {
    detail: `A request may have at most ${headers} headers.`,
  });
}

/** Returns the refusal of a request whose path, query and headers are too large together. */
export function headersTooLarge({ headerBytes }: LimitsConfiguration): Refusal {
  return new Refusal("HEADERS_TOO_LARGE", {
    detail: `The address and the headers of a request may have at most ${formatBytes(headerBytes)} together.`,
  });
}

/** Counts the bytes of target and headers without separators, like Node's HTTP parser. One character is a byte. */
function bytesOfHeaders({ rawHeaders, url = "" }: GuardedRequest): number {
  let bytes = url.length;
  for (const { length } of rawHeaders) bytes += length;
  return bytes;
}

function versionFault({ httpVersion }: GuardedRequest): string | null {
  return httpVersion === "1.1" || httpVersion === "1.0" ? null : "The request must use HTTP/1.1.";
}

function repetitionFault({ rawHeaders }: GuardedRequest): string | null {
  const seen: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(name)) return `Send the header ${name} once.`;
    seen.push(name);
  }
  return null;
}

const INVALID_TARGET =
  "The request target must be a path that begins with /, percent-encoded, without a fragment.";

function targetFault(
  { headers, httpVersion }: GuardedRequest,
  target: RequestTarget | null,
): string | null {
  const { host } = headers;
  if (host === undefined && httpVersion === "1.1")
    return "A request of HTTP/1.1 must have a Host header (RFC 9112, section 3.2).";
  if (host !== undefined && !HOST_PATTERN.test(host))
    return "The Host header must be a host name or address, with or without a port.";
  if (target === null) return INVALID_TARGET;
  if (target.authority !== null && target.authority.toLowerCase() !== host?.toLowerCase())
    return "The request target must name the same host as the Host header.";
  return null;
}

function framingFault({ headers, httpVersion }: GuardedRequest): string | null {
  const coding = headers["transfer-encoding"];
  if (headers.upgrade !== undefined)
    return "Send no Upgrade header: the gateway supports only HTTP/1.1.";
  if (coding !== undefined && httpVersion === "1.0")
    return "HTTP/1.0 has no Transfer-Encoding (RFC 9112, section 6.1).";
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return "The transfer coding must be chunked.";
  return null;
}

/** Returns the fault of an unsupported `Expect` header; HTTP/1.0 ignores this header (RFC 9110, section 10.1.1). */
function expectationFault({ headers: { expect }, httpVersion }: GuardedRequest): string | null {
  return expect === undefined || httpVersion === "1.0" || expect.toLowerCase() === "100-continue"
    ? null
    : "The gateway supports only the expectation 100-continue.";
}
