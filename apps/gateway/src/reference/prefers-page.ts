import Negotiator from "negotiator";
import type { RequestHead } from "../http/exchange.ts";

/** Whether a request would rather have a page for people than a problem, as those of browsers. */
export function prefersPage(head: RequestHead): boolean {
  const offered = ["application/problem+json", "text/html"];
  return (
    ["GET", "HEAD"].includes(head.method ?? "") &&
    new Negotiator(head).mediaType(offered) === "text/html"
  );
}
