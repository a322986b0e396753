import type { Mutation } from "../mutation.ts";

/** Faults in `packages/core`. */
export const client: readonly Mutation[] = [
  {
    name: "a submission without an answer is sent again",
    file: "packages/core/src/client/attempts.ts",
    replace: 'error.reason === "failed" && nothingSent(error.phase) && !isLasting(error)',
    by: 'error.reason === "failed" && !isLasting(error)',
    tests: [
      "packages/core/test/client-retries.test.ts",
      "packages/core/test/client-submissions.test.ts",
    ],
  },
  {
    name: "one attempt more is made by the client",
    file: "packages/core/src/client/attempts.ts",
    replace: "const ATTEMPTS = 3;",
    by: "const ATTEMPTS = 4;",
    tests: ["packages/core/test/client-retries.test.ts"],
  },
  {
    name: "an earlier attempt of unknown outcome is forgotten",
    file: "packages/core/src/client/attempts.ts",
    replace: "earlier = [...earlier, failed];",
    by: "earlier = [failed].slice(1);",
    tests: [
      "packages/core/test/client-outcomes.test.ts",
      "packages/core/test/client-submissions.test.ts",
    ],
  },
  {
    name: "a key that the caller gave is taken for a new one",
    file: "packages/core/src/client/outcome.ts",
    replace: "(isAnswered || !submission.isGiven)",
    by: "true",
    tests: [
      "packages/core/test/client-outcomes.test.ts",
      "packages/core/test/client-submissions.test.ts",
    ],
  },
  {
    name: "a total ends the paging one item early",
    file: "packages/core/src/contract/paging.ts",
    replace: "seen >= total",
    by: "seen + 1 >= total",
    tests: ["packages/core/test/client-paging.test.ts"],
  },
  {
    name: "an insurer that ignores the position is read for ever",
    file: "packages/core/src/contract/paging.ts",
    replace: "isPositionOf(page, request.position) && !isRepeated",
    by: "true",
    tests: ["packages/core/test/client-paging.test.ts", "apps/gateway/test/paging.test.ts"],
  },
  {
    name: "a Link to another search is followed",
    file: "packages/core/src/adapter/page-headers.ts",
    replace: "cursors.length === 1 && isSameSearch ?",
    by: "cursors.length > 0 ?",
    tests: ["apps/gateway/test/paging.test.ts"],
  },
  {
    name: "a wait of any length is waited",
    file: "packages/core/src/client/attempts.ts",
    replace: "return wait <= LONGEST_WAIT_MS ? wait : null;",
    by: "return wait;",
    tests: [
      "packages/core/test/client-retries.test.ts",
      "packages/core/test/client-retry-after.test.ts",
    ],
  },
  {
    name: "a stale connection counts as fresh",
    file: "packages/core/src/transport/connections.ts",
    replace: "performance.now() - idleSince < freshMs",
    by: "performance.now() - idleSince < 60_000 + freshMs",
    tests: ["packages/core/test/transport-connections.test.ts"],
  },
  {
    name: "any refusal is read as a problem",
    file: "packages/core/src/client/answer.ts",
    replace:
      'if (!/^application\\/problem\\+json\\b/i.test(response.headers["content-type"] ?? "")) {',
    by: 'if (response.headers["content-type"] === undefined) {',
    tests: ["packages/core/test/client-answers.test.ts"],
  },
  {
    name: "one try that was not sent is enough",
    file: "packages/core/src/client/outcome.ts",
    replace: "tries.every(({ failure }) => isNotSent(failure))",
    by: "tries.some(({ failure }) => isNotSent(failure))",
    tests: ["packages/core/test/client-outcomes.test.ts"],
  },
  {
    name: "a wait is rounded down",
    file: "packages/core/src/client/retry-after.ts",
    replace: "Math.ceil((instant - Date.now()) / 1_000)",
    by: "Math.floor((instant - Date.now()) / 1_000)",
    tests: ["packages/core/test/client-retry-after.test.ts"],
  },
  {
    name: "a body that can be read once is sent again",
    file: "packages/core/src/client/attempts.ts",
    replace: "count >= ATTEMPTS || !request.isRepeatable",
    by: "count >= ATTEMPTS",
    tests: ["packages/core/test/client-tries.test.ts"],
  },
  {
    name: "a call that was not sent says that it was",
    file: "packages/core/src/client/outcome.ts",
    replace: "sent: open !== undefined };",
    by: "sent: true };",
    tests: ["packages/core/test/client-tries.test.ts"],
  },
  {
    name: "a row of failures matches an empty code",
    file: "packages/core/src/contract/failures.ts",
    replace: 'typeof code !== "string" || code === ""',
    by: 'typeof code !== "string"',
    tests: ["packages/core/test/contract-failures.test.ts"],
  },
  {
    name: "a name that was resolved once is never resolved again",
    file: "packages/core/src/transport/lookup.ts",
    replace: "}).finally(() => underWay.delete(key));",
    by: "});",
    tests: ["packages/core/test/transport-lookup.test.ts"],
  },
  {
    name: "a login that a 400 refuses counts as unreadable",
    file: "packages/core/src/adapter/json-dialect.ts",
    replace: "[400, 401, 403].includes",
    by: "[401, 403].includes",
    tests: ["packages/core/test/adapter-json-dialect.test.ts"],
  },
];
