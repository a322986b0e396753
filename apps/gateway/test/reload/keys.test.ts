import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Configuration } from "../../src/configuration/load.ts";
import { changedKeys, changedSecrets, keyRules, ruleOf } from "../../src/reload/keys.ts";
import { configurationKeys } from "../configuration/configuration-keys.ts";

const paths = configurationKeys().map(([path]) => path);
const document = readFileSync(new URL("../../../../docs/upgrading.md", import.meta.url), "utf8");

describe("the table of reloadable keys", () => {
  it.each(paths)("the table of reloadable keys has a rule for the configuration key %s", (path) => {
    expect(ruleOf(path).why).not.toBe("it has no rule");
  });

  it("the table of reloadable keys contains only existing configuration keys", () => {
    const unknown = Object.keys(keyRules)
      .filter((key) => key !== "$schema")
      .filter((key) => !paths.some((path) => path === key || /^[.[]/.test(path.slice(key.length))));
    expect(unknown).toEqual([]);
  });

  it("docs/upgrading.md contains the same table of reloadable keys as the code", () => {
    const [, section = ""] = document.split("\n## Reloading\n");
    const [own = ""] = section.split("\n## ");
    const rows = [...own.matchAll(/^\| `([^`]+)` \| (at a reload|in a new process) \| (.*) \|$/gm)];
    expect(rows.map(([, key, counts, why]) => [key, counts, why])).toEqual(
      Object.entries(keyRules)
        .filter(([key]) => key !== "$schema")
        .map(([key, { counts, why = "" }]) => [key, counts, why]),
    );
  });

  it("the table of reloadable keys assumes that a change of an unknown key needs a new process", () => {
    expect(ruleOf("surprise.key").counts).toBe("in a new process");
    expect(ruleOf("providers[12].timeouts.totalMs").counts).toBe("at a reload");
    expect(ruleOf("providers[12].segment").counts).toBe("in a new process");
  });
});

/** Returns a configuration with the given values, which need not be valid. */
function configurationOf(values: object, folder = "/srv"): Configuration {
  return {
    folder,
    source: `${folder}/file`,
    workspace: false,
    ...values,
  } as unknown as Configuration;
}

describe("the changed keys of two configurations", () => {
  it.each<[string, object, object, readonly string[]]>([
    ["equal configurations", { a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 2 }] }, []],
    ["other values", { a: 1, b: { c: 2, d: 3 } }, { a: 2, b: { c: 2, d: 4 } }, ["a", "b.d"]],
    ["keys that exist in one configuration", { a: 1, b: 2 }, { b: 2, c: 3 }, ["a", "c"]],
    ["objects that exist in one configuration", { a: { b: { c: 1 } } }, { a: {} }, ["a.b"]],
    ["lists of plain values", { a: [1, 2], b: ["x"] }, { a: [1, 3], b: ["x"] }, ["a"]],
    ["items of lists", { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: 3 }] }, ["a[1].b"]],
    [
      "items that exist in one configuration",
      { a: [{ b: 1 }] },
      { a: [{ b: 2 }, { b: 3 }] },
      ["a[0].b", "a[1]"],
    ],
    ["a list of plain values that becomes a list of objects", { a: [1] }, { a: [{ b: 1 }] }, ["a"]],
    ["a list of objects that becomes a list of plain values", { a: [{ b: 1 }] }, { a: [1] }, ["a"]],
    ["a list with objects and plain values", { a: [{ b: 1 }, 1] }, { a: [{ b: 2 }, 1] }, ["a"]],
    ["a list that becomes an object", { a: [{ b: 1 }] }, { a: { b: 1 } }, ["a"]],
    ["an object that becomes a list", { a: { b: 1 } }, { a: [{ b: 1 }] }, ["a"]],
    ["null that becomes an object", { a: null }, { a: { b: 1 } }, ["a"]],
    ["an object that becomes a plain value", { a: { b: 1 } }, { a: 1 }, ["a"]],
  ])(
    "the comparison of two configurations finds the changed keys for %s",
    (_, before, after, keys) => {
      const now = { ...configurationOf(after, "/other"), workspace: true };
      expect(changedKeys(configurationOf(before), now)).toEqual(keys);
    },
  );
});

describe("the changed secrets of a configuration", () => {
  const configuration = configurationOf({
    token: { file: "token.txt" },
    variable: { env: "TOKEN" },
    list: [{ key: { file: "/keys/one" } }, { key: { file: "two" } }, 7, null],
  });
  const before = new Map([
    ["/srv/token.txt", "1"],
    ["/keys/one", "1"],
    ["/srv/two", "1"],
    ["/srv/gateway.config.json", "1"],
  ]);

  it("the comparison of two configurations finds a changed secret file by the configuration key, regardless of the file's folder", () => {
    const changed = (after: object): readonly string[] =>
      changedSecrets(configuration, before, new Map([...before, ...Object.entries(after)]));
    expect(changed({})).toEqual([]);
    expect(changed({ "/srv/gateway.config.json": "2" })).toEqual([]);
    expect(changed({ "/srv/two": "2" })).toEqual(["list[1].key"]);
    expect(changed({ "/srv/token.txt": "2", "/keys/one": "missing" })).toEqual([
      "token",
      "list[0].key",
    ]);
    expect(
      changedSecrets(configuration, new Map(), before),
      "files that were not read before",
    ).toEqual([]);
  });
});
