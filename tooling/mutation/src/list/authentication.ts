import type { Mutation } from "../mutation.ts";

/** Faults in `apps/gateway/src/authentication`. */
export const authentication: readonly Mutation[] = [
  {
    name: "a token that has just expired is accepted",
    file: "apps/gateway/src/authentication/claims.ts",
    replace: "if (exp <= now - clockSkewSeconds) throw",
    by: "if (exp < now - clockSkewSeconds) throw",
    tests: ["apps/gateway/test/authentication/token-times.test.ts"],
  },
  {
    name: "any audience is accepted",
    file: "apps/gateway/src/authentication/claims.ts",
    replace: "if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))",
    by: "if (aud !== audience && !Array.isArray(aud))",
    tests: [
      "apps/gateway/test/authentication/forged-tokens.test.ts",
      "apps/gateway/test/authentication/good-tokens.test.ts",
    ],
  },
  {
    name: "a remembered token outlives its expiry",
    file: "apps/gateway/src/authentication/verified-tokens.ts",
    replace: "Math.min(verifiedAt + cachedSeconds * 1_000, expiresAt * 1_000)",
    by: "verifiedAt + cachedSeconds * 1_000",
    tests: ["apps/gateway/test/authentication/remembered-tokens.test.ts"],
  },
  {
    name: "a remembered token may be longer than is set now",
    file: "apps/gateway/src/authentication/verified-tokens.ts",
    replace: "bytes <= tokenBytes && ",
    by: "",
    tests: ["apps/gateway/test/reload/issuers.test.ts"],
  },
  {
    name: "a client may have a subject's name",
    file: "apps/gateway/src/authentication/claims.ts",
    replace: "`client_id ",
    by: "`sub ",
    tests: [
      "apps/gateway/test/authentication/caller.test.ts",
      "apps/gateway/test/authentication/good-tokens.test.ts",
    ],
  },
  {
    name: "any scope allows everything",
    file: "apps/gateway/src/authentication/permit.ts",
    replace: "accepted.includes(scope)",
    by: "accepted.length > 0",
    tests: ["apps/gateway/test/authentication/scopes.test.ts"],
  },
  {
    name: "refused tokens are not counted",
    file: "apps/gateway/src/authentication/authenticate.ts",
    replace: 'if (error.code === "UNAUTHENTICATED") await refused.count(address());',
    by: "",
    tests: ["apps/gateway/test/authentication/token-floods.test.ts"],
  },
  {
    name: "a new limit of refused tokens counts after a restart only",
    file: "apps/gateway/src/authentication/refused-tokens.ts",
    replace: "      limiter.points = refusedTokens();\n",
    by: "",
    tests: ["apps/gateway/test/authentication/token-floods.test.ts"],
  },
  {
    name: "a memory of one token is none",
    file: "apps/gateway/src/authentication/verified-tokens.ts",
    replace: "(stored?.max ?? 0)",
    by: "(stored?.max ?? 1)",
    tests: ["apps/gateway/test/authentication/remembered-tokens.test.ts"],
  },
  {
    name: "a reload ends before the keys of every issuer have come",
    file: "apps/gateway/src/authentication/issuers.ts",
    replace: "await Promise.all(keySets.all()",
    by: "void Promise.all(keySets.all()",
    tests: ["apps/gateway/test/reload/issuers.test.ts"],
  },
];
