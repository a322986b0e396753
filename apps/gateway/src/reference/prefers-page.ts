import Negotiator from "negotiator";
import type { RequestHead } from "../http/exchange.ts";

/** Reports whether a client prefers an HTML page to a problem document, as browsers do. */
export function prefersPage(head: RequestHead): boolean {
  const offered = ["application/problem+json", "text/html"];
  return (
    ["GET", "HEAD"].includes(head.method ?? "") &&
    new Negotiator(head).mediaType(offered) === "text/html"
  );
}
