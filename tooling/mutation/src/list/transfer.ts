import type { Mutation } from "../mutation.ts";

/** Faults in `submissions export` and `submissions import`. */
export const transfer: readonly Mutation[] = [
  {
    name: "an import without one of the keys goes on",
    file: "apps/gateway/src/submissions/export-import.ts",
    replace:
      "    refuseUnknown(beginning.summary.keyIds, encryption, source);\n    readDigestSecret",
    by: "    readDigestSecret",
    tests: ["apps/gateway/test/submissions/export-keys.test.ts"],
  },
  {
    name: "a column is not exported",
    file: "apps/gateway/src/store/exported-tables.ts",
    replace: '    queried_at: "integer",\n',
    by: "",
    tests: ["apps/gateway/test/submissions/export-import.chaos.test.ts"],
  },
  {
    name: "a change of state is not noticed when an export goes on",
    file: "apps/gateway/src/store/transfer.ts",
    replace: '"updated", "fences", "queries"',
    by: '"updated", "queries"',
    tests: ["apps/gateway/test/submissions/export-import.chaos.test.ts"],
  },
  {
    name: "an import does not look for the idempotency keys",
    file: "apps/gateway/src/store/transfer.ts",
    replace: '    ["key_digest", digestsOf(KEY_DIGEST)],\n',
    by: "",
    tests: ["apps/gateway/test/submissions/export-import.chaos.test.ts"],
  },
  {
    name: "an import that goes on leaves a page out",
    file: "apps/gateway/src/submissions/export-import.ts",
    replace: "if (index > done) await",
    by: "if (index > done + 1) await",
    tests: ["apps/gateway/test/submissions/export-import.chaos.test.ts"],
  },
  {
    name: "an export goes on whatever has changed",
    file: "apps/gateway/src/submissions/export-import.ts",
    replace: "if (JSON.stringify(content) !== JSON.stringify(beginning)) return null;",
    by: "",
    tests: ["apps/gateway/test/submissions/export-import.chaos.test.ts"],
  },
  {
    name: "a chunk may be at another position of the file",
    file: "apps/gateway/src/submissions/export-file.ts",
    replace: '`export ${digest} ${index} ${isLast ? "last" : "more"}`',
    by: '`export ${digest} ${isLast ? "last" : "more"}`',
    tests: ["apps/gateway/test/submissions/export-file.test.ts"],
  },
  {
    name: "a gateway serves from a part of an import",
    file: "apps/gateway/src/store/migrations.ts",
    replace: "if (!importing) yield* refuseUnfinishedImport(dialect);",
    by: "",
    tests: ["apps/gateway/test/submissions/export-import.chaos.test.ts"],
  },
  {
    name: "a failed transaction of an import stays open",
    file: "apps/gateway/src/store/alone.ts",
    replace: 'await client.query("ROLLBACK").catch(() => {});',
    by: "",
    tests: ["apps/gateway/test/store-alone.test.ts"],
  },
  {
    name: "connections are exported as text",
    file: "apps/gateway/src/store/exported-tables.ts",
    replace: 'encrypted: "bytes"',
    by: 'encrypted: "text"',
    tests: ["apps/gateway/test/store-transfer.test.ts"],
  },
  {
    name: "the smaller counts of a day win",
    file: "apps/gateway/src/store/transfer.ts",
    replace: "${name} < excluded",
    by: "${name} > excluded",
    tests: ["apps/gateway/test/store-transfer.test.ts"],
  },
  {
    name: "an export that was whole is continued behind its end",
    file: "apps/gateway/src/submissions/export-import.ts",
    replace: "} else if (!isLast) {",
    by: "} else {",
    tests: ["apps/gateway/test/submissions/export-import.test.ts"],
  },
  {
    name: "a database that ends the connection ends the process, too",
    file: "apps/gateway/src/store/alone.ts",
    replace: '  client.on("error", () => {});\n',
    by: "",
    tests: ["apps/gateway/test/store-alone.test.ts"],
  },
  {
    name: "the name of an export is not on disk when it ends",
    file: "apps/gateway/src/submissions/export-import.ts",
    replace: "await folder.sync();",
    by: "",
    tests: ["apps/gateway/test/submissions/export-durability.test.ts"],
  },
];
