import type { Mutation } from "../mutation.ts";

/** Faults in what makes two requests the same submission, in `apps/gateway/src/submissions`. */
export const submissionIdentity: readonly Mutation[] = [
  {
    name: "the issuer is left out of a key",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: 'digest("key", caller.issuer, caller.subject,',
    by: 'digest("key", caller.subject,',
    tests: ["apps/gateway/test/submissions/key-isolation.test.ts"],
  },
  {
    name: "the subject is left out of a key",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: 'digest("key", caller.issuer, caller.subject,',
    by: 'digest("key", caller.issuer,',
    tests: ["apps/gateway/test/submissions/key-isolation.test.ts"],
  },
  {
    name: "the endpoint is left out of a key",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: "provider, endpoint, sent),",
    by: "provider, sent),",
    tests: ["apps/gateway/test/submissions/key-isolation.test.ts"],
  },
  {
    name: "the issuer is left out of a caller",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: 'digest("caller", caller.issuer, caller.subject)',
    by: 'digest("caller", caller.subject)',
    tests: ["apps/gateway/test/submissions/key-isolation.test.ts"],
  },
  {
    name: "the endpoint is left out of the content",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: "        provider,\n        endpoint,\n        scenario,",
    by: "        provider,\n        scenario,",
    tests: ["apps/gateway/test/submissions/key-isolation.test.ts"],
  },
  {
    name: "the body is left out of the content",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: "input.headers, input.body]",
    by: "input.headers, null]",
    tests: ["apps/gateway/test/submissions/key-isolation.test.ts"],
  },
  {
    name: "the declared headers are left out of the content",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: "input.query, input.headers, input.body",
    by: "input.query, input.body",
    tests: ["apps/gateway/test/wire/wire.test.ts"],
  },
  {
    name: "the sandbox scenario is left out of the content",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: "        endpoint,\n        scenario,\n",
    by: "        endpoint,\n",
    tests: ["apps/gateway/test/submissions/sandbox-scenarios.test.ts"],
  },
  {
    name: "the query's parameters are left out of the match digest",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: 'digest("search", provider, search, canonical(query))',
    by: 'digest("search", provider, search)',
    tests: ["apps/gateway/test/submissions/changes.test.ts"],
  },
  {
    name: "a digest is not the one that earlier versions have stored",
    file: "apps/gateway/src/submissions/identity.ts",
    replace: 'digest("match", provider,',
    by: 'digest(provider, "match",',
    tests: ["apps/gateway/test/submissions/identity.test.ts"],
  },
];
