import type { IncomingMessage } from "node:http";
import type { LimitsConfiguration } from "../configuration/file.ts";
import { Refusal } from "../problems/refusal.ts";

/** Refuses what no request may be, whoever sends it. */
export function guard(
  { headers, httpVersion }: IncomingMessage,
  _limits: LimitsConfiguration,
): void {
  if (httpVersion === "1.1" && headers.host === undefined)
    throw new Refusal("INVALID_REQUEST", {
      detail: "A request of HTTP/1.1 needs a Host header (RFC 9112, section 3.2).",
    });
}
