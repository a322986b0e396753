import type { Mutation } from "../mutation.ts";

/** Faults in what `apps/gateway/src/submissions` answers and encrypts. */
export const answers: readonly Mutation[] = [
  {
    name: "a replay does not say that it is one",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: '"idempotency-replayed": "true"',
    by: '"idempotency-replayed": "yes"',
    tests: ["apps/gateway/test/idempotency.test.ts"],
  },
  {
    name: "a running submission whose lease is over is still running",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: 'state === "in_flight" && leaseUntil <= running',
    by: 'state === "in_flight" && leaseUntil <= 0',
    tests: ["apps/gateway/test/reconciliation.test.ts"],
  },
  {
    name: "what is encrypted can be moved to another row",
    file: "apps/gateway/src/submissions/encryption.ts",
    replace: "      decipher.setAAD(Buffer.from(place));\n",
    by: '      decipher.setAAD(Buffer.from(place.split(" ")[0] ?? ""));\n',
    tests: ["apps/gateway/test/kept-submissions.test.ts"],
  },
  {
    name: "a stored answer is decrypted with any key",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: "return answer !== null && keyId !== null && encryption.knows(keyId)",
    by: "return answer !== null && keyId !== null",
    tests: ["apps/gateway/test/submissions/ended-answers.test.ts"],
  },
  {
    name: "a submission past its lease has no next query",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: '? { state: "outcome_unknown", nextQueryAt: running }',
    by: '? { state: "outcome_unknown", nextQueryAt: null }',
    tests: ["apps/gateway/test/reconciliation.test.ts"],
  },
  {
    name: "an endpoint without a query says when to ask again",
    file: "apps/gateway/src/submissions/answers.ts",
    replace:
      'retryAfter === null || (endpoint.reconcile === undefined && retryAfter === "next_query")',
    by: "retryAfter === null",
    tests: ["apps/gateway/test/submissions/same-content.test.ts"],
  },
  {
    name: "what an equal request becomes is said the wrong way round",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: 'return sameContentOf(endpoint) === "none"',
    by: 'return sameContentOf(endpoint) !== "none"',
    tests: ["apps/gateway/test/submissions/same-content.test.ts"],
  },
  {
    name: "the stored state counts, whatever the lease",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: "const { nextQueryAt, state } = standingOf(earlier, facts.running);",
    by: "const { nextQueryAt, state } = earlier;",
    tests: ["apps/gateway/test/reconciliation.test.ts"],
  },
  {
    name: "a status never changes its time",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: "updatedAt: new Date(record.updatedAt)",
    by: "updatedAt: new Date(record.receivedAt)",
    tests: ["apps/gateway/test/reconciliation.test.ts"],
  },
  {
    name: "an address lacks the path prefix",
    file: "apps/gateway/src/submissions/answers.ts",
    replace: "return `${basePath}/submissions/${id}`;",
    by: "return `/submissions/${id}`;",
    tests: ["apps/gateway/test/forwarding.test.ts"],
  },
  {
    name: "a stored refusal forgets Proxy-Status",
    file: "apps/gateway/src/submissions/stored-answer.ts",
    replace: "      ...proxyStatusOf(refusal),\n",
    by: "",
    tests: ["apps/gateway/test/idempotency.test.ts"],
  },
  {
    name: "each of several first processes has its own secret",
    file: "apps/gateway/src/submissions/encryption.ts",
    replace: "return (await store.secret(DIGEST_SECRET)) ?? own;",
    by: "return own;",
    tests: ["apps/gateway/test/kept-submissions.test.ts"],
  },
  {
    name: "a manual resolution does not block the same content",
    file: "apps/gateway/src/submissions/ending.ts",
    replace: "closed = false",
    by: "closed = true",
    tests: ["apps/gateway/test/submissions/manual-resolution.test.ts"],
  },
  {
    name: "what an earlier gateway stored cannot be decrypted",
    file: "apps/gateway/src/submissions/encryption.ts",
    replace: "const NONCE_BYTES = 12;",
    by: "const NONCE_BYTES = 16;",
    tests: ["apps/gateway/test/submissions/encryption.test.ts"],
  },
];
