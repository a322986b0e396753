import { isJson } from "../contract/body.ts";
import { type ErrorPages, problemOf, problemType } from "./problem-body.ts";
import type { Refusal } from "./refusal.ts";

/**
 * A stored answer, which the gateway returns again byte for byte. A problem is stored without `type`, an address that
 * may change; `withType` adds the current address.
 */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  /** The code and outcome of a problem, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** Returns an insurer's answer in the form that is stored and sent, with the address of the submission. */
export function successAnswer(
  answer: { readonly status: number; readonly content: string },
  headers: Readonly<Record<string, string>>,
  location: string,
): StoredAnswer {
  return { status: answer.status, headers: { ...headers, location }, content: answer.content };
}

/** Returns a problem as an answer that can be stored. */
export function problemAnswer(
  refusal: Refusal,
  { provider, requestId }: { readonly provider: string; readonly requestId: string },
): StoredAnswer {
  const { type: _, ...problem } = problemOf(refusal, { requestId, provider, pages: null });
  const location = refusal.details.headers?.location;
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      ...proxyStatusOf(refusal),
      ...(location === undefined ? {} : { location }),
    },
    content: JSON.stringify(problem),
    problem: { code: problem.code, outcome: problem.outcome },
  };
}

/** Returns the content of a stored answer. A problem gets its `type`; any other content is unchanged. */
export function withType(
  { content, problem }: Pick<StoredAnswer, "content" | "problem">,
  pages: ErrorPages,
): string {
  if (problem === undefined) return content;
  return `{"type":${JSON.stringify(problemType(pages, problem.code))},${content.slice(1)}`;
}

/** Returns the body of a stored answer: a value, or the text of a body that is not JSON; null without a body. */
export function bodyIn({ content, headers }: StoredAnswer): unknown {
  if (content === "") return null;
  return isJson((headers["content-type"] ?? "").split(";")[0] ?? "")
    ? JSON.parse(content)
    : content;
}

/** Returns the header `proxy-status` of a refusal, or no header. */
export function proxyStatusOf(observed: Refusal | undefined): Readonly<Record<string, string>> {
  const value = observed?.details.headers?.["proxy-status"];
  return value === undefined ? {} : { "proxy-status": value };
}

/** Returns a stored answer for a repeated request of the same submission. */
export function replayOf(stored: StoredAnswer): StoredAnswer {
  return { ...stored, headers: { ...stored.headers, "idempotency-replayed": "true" } };
}
