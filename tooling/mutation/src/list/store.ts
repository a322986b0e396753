import type { Mutation } from "../mutation.ts";

/** Faults in `apps/gateway/src/store`. */
export const store: readonly Mutation[] = [
  {
    name: "a second key adopts a submission that has one",
    file: "apps/gateway/src/store/claim.ts",
    replace: "if (earlier.keyDigest === null) {",
    by: "if (earlier.keyDigest !== keyDigest) {",
    tests: ["apps/gateway/test/store-contract.test.ts", "apps/gateway/test/store-sqlite.test.ts"],
  },
  {
    name: "a closed submission stands in the way",
    file: "apps/gateway/src/store/claim.ts",
    replace: "state = 'succeeded' AND closed = 0 AND",
    by: "state = 'succeeded' AND",
    tests: ["apps/gateway/test/store-contract.test.ts", "apps/gateway/test/store-sqlite.test.ts"],
  },
  {
    name: "two submissions may own one identifier",
    file: "apps/gateway/src/store/transactions.ts",
    replace:
      "if (owner !== undefined && Number(own?.creates) === 1) return { owner: asOwner(owner) };",
    by: "",
    tests: [
      "apps/gateway/test/store-contract.test.ts",
      "apps/gateway/test/store-sqlite.test.ts",
      "apps/gateway/test/submissions/reconciliation-model.test.ts",
    ],
  },
  {
    name: "a query decides whatever has changed since",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "state = 'outcome_unknown' AND fence = $10",
    by: "state = 'outcome_unknown' AND fence >= $10 - 9",
    tests: ["apps/gateway/test/store-contract.test.ts", "apps/gateway/test/store-sqlite.test.ts"],
  },
  {
    name: "what is settled is settled again",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "settle: (settlement) => settle(dialect, settlement, OPEN),",
    by: 'settle: (settlement) => settle(dialect, settlement, "1 = 1"),',
    tests: ["apps/gateway/test/store-contract.test.ts", "apps/gateway/test/store-sqlite.test.ts"],
  },
  {
    name: "match fields outlive the end",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "      match_fields = NULL, next_query_at = NULL\n",
    by: "      next_query_at = NULL\n",
    tests: ["apps/gateway/test/store-contract.test.ts", "apps/gateway/test/store-sqlite.test.ts"],
  },
  {
    name: "those in flight are not counted as alike",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "COUNT(CASE WHEN state = 'in_flight' THEN 1 END)",
    by: "COUNT(CASE WHEN state = 'gone' THEN 1 END)",
    tests: [
      "apps/gateway/test/store-contract.test.ts",
      "apps/gateway/test/store-sqlite.test.ts",
      "apps/gateway/test/reconciliation.test.ts",
    ],
  },
  {
    name: "an open submission is found after others of its content",
    file: "apps/gateway/src/store/claim.ts",
    replace: "THEN 0 WHEN key_digest IS NULL THEN 1 ELSE 2 END",
    by: "THEN 3 WHEN key_digest IS NULL THEN 1 ELSE 2 END",
    tests: ["apps/gateway/test/store-contract.test.ts"],
  },
  {
    name: "a key adopts a submission of another segment",
    file: "apps/gateway/src/store/claim.ts",
    replace: "if (keyDigest === null || earlier.segment !== submission.segment)",
    by: "if (keyDigest === null)",
    tests: ["apps/gateway/test/store-contract.test.ts"],
  },
  {
    name: "a first key adopts a submission that has a key rather than one that has none",
    file: "apps/gateway/src/store/claim.ts",
    replace: "WHEN key_digest IS NULL THEN 1 ELSE 2",
    by: "WHEN key_digest IS NULL THEN 2 ELSE 1",
    tests: ["apps/gateway/test/store-contract.test.ts"],
  },
  {
    name: "a dead process leads for ever",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "            OR gateway_reconcilers.until < ${dialect.now}\n",
    by: "",
    tests: ["apps/gateway/test/store-contract.test.ts"],
  },
  {
    name: "a change's identifier competes",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "id <> $2 AND creates = 1 AND insurer_id IN",
    by: "id <> $2 AND insurer_id IN",
    tests: ["apps/gateway/test/store-contract.test.ts"],
  },
  {
    name: "a change owns its identifier",
    file: "apps/gateway/src/store/transactions.ts",
    replace: "insurer_id = $2 AND creates = 1 AND id <> $3 LIMIT 1",
    by: "insurer_id = $2 AND id <> $3 LIMIT 1",
    tests: ["apps/gateway/test/store-contract.test.ts"],
  },
  {
    name: "extended result codes have no name",
    file: "apps/gateway/src/store/sqlite/fault.ts",
    replace: "Number(code) & 0xff",
    by: "Number(code)",
    tests: ["apps/gateway/test/store-sqlite.test.ts"],
  },
  {
    name: "an empty DATABASE_URL is a database",
    file: "apps/gateway/src/store/open-store.ts",
    replace: 'databaseUrl === undefined || databaseUrl === "" ? null',
    by: "databaseUrl === undefined ? null",
    tests: ["apps/gateway/test/store-sqlite.test.ts"],
  },
];
