import type { Paging } from "@insurance-gateway/core/contract";
import { type EndpointKind, headersOfPaging, kindPolicies } from "@insurance-gateway/core/runtime";
import type { Header, JsonSchema, Reference } from "./open-api.ts";

/** The facts about an operation that determine the possible headers and problems of the operation's answers. */
export interface OperationFacts {
  readonly kind: EndpointKind;
  /** The id of the provider; "" for the gateway itself. */
  readonly provider: string;
  readonly hasBody: boolean;
  /** True if the operation answers with the state of a submission, which may change soon. */
  readonly isState: boolean;
}

const text = (maxLength: number, pattern: string, example: string): JsonSchema => ({
  type: "string",
  maxLength,
  pattern,
  examples: [example],
});

/** All possible headers of answers by name; documents refer to them. */
export const headers: Readonly<Record<string, Header>> = {
  "Access-Control-Allow-Origin": {
    description:
      "Never sent, because no page of another origin may read an answer. It is listed to show that this is intended.",
    schema: text(0, "^$", ""),
  },
  Age: {
    description: "Only in a cached answer: its age in seconds.",
    schema: text(10, "^\\d+$", "300"),
  },
  "Cache-Control": {
    description: "Who may cache the answer, and for how long (RFC 9111).",
    schema: text(100, "^[a-z0-9=, -]+$", "no-store"),
  },
  "Cache-Status": {
    description:
      "Only in a cached answer: for how many more seconds it is fresh. Less than 0, with the reason, in a stale response because the insurer fails (RFC 9211).",
    schema: text(
      200,
      "^[\\x20-\\x7e]+$",
      "insurance-gateway; hit; ttl=-300; detail=insurer_failed",
    ),
  },
  "Content-Disposition": {
    description: "A safe name for the file, always the same.",
    schema: text(200, '^attachment; filename="[^"]+"$', 'attachment; filename="ipid.pdf"'),
  },
  ETag: {
    description:
      "The version of the answer; it changes when the content does (RFC 9110, section 8.8.3). A lookup with this version in `If-None-Match` gets 304 without a body if it has not changed.",
    schema: text(140, '^(W/)?"[^"]+"$', '"lhcJ2QTE1YVoFcPbL6zq-rCvmVkVdM5fOrTzSSSRy-w"'),
  },
  "Idempotency-Replayed": {
    description:
      "`true` if the same key was answered before: this is the stored answer, and nothing was sent.",
    schema: { type: "string", const: "true" },
  },
  Location: {
    description: "The path of the submission's state at the gateway.",
    schema: text(200, "^/", "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11"),
  },
  "Proxy-Status": {
    description: "Where a call to an insurer failed (RFC 9209). For operators.",
    schema: text(1000, "^[\\x20-\\x7e]+$", "insurance-gateway; error=connection_timeout"),
  },
  RateLimit: {
    description:
      "The remaining requests of your limit with this provider, and the seconds until the limit resets.",
    schema: text(100, '^"caller";r=\\d+;t=\\d+$', '"caller";r=599;t=60'),
  },
  "RateLimit-Policy": {
    description: "Your limit with this provider: a number of requests in a number of seconds.",
    schema: text(100, '^"caller";q=\\d+;w=\\d+$', '"caller";q=600;w=60'),
  },
  "Retry-After": {
    description: "Seconds to wait before a retry (RFC 9110, section 10.2.3).",
    schema: text(6, "^\\d+$", "30"),
  },
  "Server-Timing": {
    description: "The time that the gateway and the insurer took, in milliseconds.",
    schema: text(200, "^[\\x20-\\x7e]+$", "insurer;dur=48, gateway;dur=1.2"),
  },
  "WWW-Authenticate": {
    description: "What the token lacks (RFC 6750).",
    schema: text(500, "^Bearer", 'Bearer error="invalid_token"'),
  },
  "X-Request-Id": {
    description:
      "Identifies this request in the gateway's log. Give it to the operator if you need help.",
    schema: { type: "string", format: "uuid" },
  },
};

/** The headers of every answer of the gateway. */
export const headersEverywhere: readonly string[] = [
  "Access-Control-Allow-Origin",
  "Cache-Control",
  "RateLimit",
  "RateLimit-Policy",
  "Server-Timing",
  "X-Request-Id",
];

/** Returns the headers that a successful answer of an endpoint can have. */
export function successHeaders({
  isState,
  kind,
}: Pick<OperationFacts, "isState" | "kind">): Readonly<Record<string, Reference>> {
  return referencesTo([
    ...headersEverywhere,
    ...(kind === "lookup" || kind === "document" ? ["ETag"] : []),
    ...(kindPolicies[kind].servedStale ? ["Age", "Cache-Status"] : []),
    ...(kind === "document" ? ["Content-Disposition"] : []),
    ...(kind === "submission" ? ["Location", "Idempotency-Replayed"] : []),
    ...(isState ? ["Retry-After"] : []),
  ]);
}

/** Returns the headers in which a page of a search reports the total and the next page. */
export function pagingHeaders(paging: Paging): Readonly<Record<string, Header>> {
  const { total } = paging;
  const totalHeader = typeof total === "object" ? total.header : null;
  return Object.fromEntries(
    headersOfPaging(paging).map((name) => [
      name,
      name === totalHeader
        ? {
            description: "The number of items on all pages.",
            schema: text(15, "^\\d+$", "42"),
          }
        : {
            description: "The cursor of the next page; absent on the last page.",
            schema: text(2048, "^[\\x21-\\x7e]+$", "c2Nyb2xsLTQw"),
          },
    ]),
  );
}

/** Returns the possible headers of a problem with this status. */
export function problemHeaders(status: number): Readonly<Record<string, Reference>> {
  const further: Readonly<Record<number, readonly string[]>> = {
    401: ["WWW-Authenticate"],
    403: ["WWW-Authenticate"],
    404: ["Proxy-Status"],
    409: ["Idempotency-Replayed", "Location", "Proxy-Status", "Retry-After"],
    422: ["Idempotency-Replayed", "Proxy-Status"],
    429: ["Retry-After"],
    502: ["Idempotency-Replayed", "Proxy-Status", "Retry-After"],
    503: ["Retry-After", "Proxy-Status"],
    504: ["Location", "Proxy-Status", "Retry-After"],
  };
  return referencesTo([...headersEverywhere, ...(further[status] ?? [])]);
}

function referencesTo(names: readonly string[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(
    names.toSorted().map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
