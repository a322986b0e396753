import type { IncomingMessage } from "node:http";
import type { Arrival } from "./insurer.ts";

/** The headers that never hold a credential. */
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

/** What is written down of a request; `furtherHeaders` are names in any case. */
export function arrivedRequest(
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

/** What a quoted string (RFC 9651, section 3.3.3) stands for; any other value stands for itself. */
function referenceIn(values: readonly string[] = []): string | null {
  const [value = ""] = values;
  if (values.length !== 1) return null;
  if (!/^"([^"\\]|\\["\\])*"$/.test(value)) return value;
  return value.slice(1, -1).replaceAll(/\\(["\\])/g, "$1");
}
