import type { IncomingMessage } from "node:http";
import type { Arrival } from "./insurer.ts";

/** The headers that never contain a credential. */
const LOGGED_HEADERS: readonly string[] = [
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "transfer-encoding",
  "user-agent",
  "x-request-id",
  "x-sandbox-scenario",
];

/** Returns the parts of a request that the log contains. The names in `furtherHeaders` are case-insensitive. */
export function loggedPartsOf(
  { headers, headersDistinct, method = "", url = "" }: IncomingMessage,
  body: string,
  furtherHeaders: readonly string[],
): Omit<Arrival, "number"> {
  const [path = "", ...query] = url.split("?");
  const logged = [...LOGGED_HEADERS, ...furtherHeaders.map((name) => name.toLowerCase())];
  const shown = Object.entries(headers)
    .filter(([name]) => logged.includes(name))
    .map(([name, value]) => [name, value?.toString() ?? ""]);
  return {
    method,
    path,
    query: query.join("?"),
    submissionId: referenceIn(headersDistinct["idempotency-key"]),
    headers: Object.fromEntries(shown),
    body,
  };
}

/** Returns the content of a quoted string (RFC 9651, section 3.3.3), or any other value unchanged. */
function referenceIn(values: readonly string[] = []): string | null {
  const [value = ""] = values;
  if (values.length !== 1) return null;
  if (!/^"([^"\\]|\\["\\])*"$/.test(value)) return value;
  return value.slice(1, -1).replaceAll(/\\(["\\])/g, "$1");
}
