import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Configuration } from "../../src/configuration/load.ts";
import { changedKeys, changedSecrets, keyRules, ruleOf } from "../../src/reload/keys.ts";
import { configurationKeys } from "../configuration/configuration-keys.ts";

const paths = configurationKeys().map(([path]) => path);
const document = readFileSync(new URL("../../../../docs/upgrading.md", import.meta.url), "utf8");

describe("the table of reloadable keys", () => {
  it.each(paths)("has a rule for %s", (path) => {
    expect(ruleOf(path).why).not.toBe("it has no rule");
  });

  it("has no key that the configuration does not have", () => {
    const unknown = Object.keys(keyRules)
      .filter((key) => key !== "$schema")
      .filter((key) => !paths.some((path) => path === key || /^[.[]/.test(path.slice(key.length))));
    expect(unknown).toEqual([]);
  });

  it("is the one in the documentation", () => {
    const [, section = ""] = document.split("\n## Reloading\n");
    const [own = ""] = section.split("\n## ");
    const rows = [...own.matchAll(/^\| `([^`]+)` \| (at a reload|in a new process) \| (.*) \|$/gm)];
    expect(rows.map(([, key, counts, why]) => [key, counts, why])).toEqual(
      Object.entries(keyRules)
        .filter(([key]) => key !== "$schema")
        .map(([key, { counts, why = "" }]) => [key, counts, why]),
    );
  });

  it("gives a key that it does not know to a new process", () => {
    expect(ruleOf("surprise.key").counts).toBe("in a new process");
    expect(ruleOf("providers[12].timeouts.totalMs").counts).toBe("at a reload");
    expect(ruleOf("providers[12].segment").counts).toBe("in a new process");
  });
});

/** A configuration of these values; what is compared does not matter. */
function configurationOf(values: object, folder = "/srv"): Configuration {
  return {
    folder,
    source: `${folder}/file`,
    workspace: false,
    ...values,
  } as unknown as Configuration;
}

describe("the keys that differ", () => {
  it.each<[string, object, object, readonly string[]]>([
    ["nothing", { a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 2 }] }, []],
    ["values", { a: 1, b: { c: 2, d: 3 } }, { a: 2, b: { c: 2, d: 4 } }, ["a", "b.d"]],
    ["a key that one has", { a: 1, b: 2 }, { b: 2, c: 3 }, ["a", "c"]],
    ["an object that one has", { a: { b: { c: 1 } } }, { a: {} }, ["a.b"]],
    ["lists of plain values", { a: [1, 2], b: ["x"] }, { a: [1, 3], b: ["x"] }, ["a"]],
    ["items of lists", { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: 3 }] }, ["a[1].b"]],
    ["items that one has", { a: [{ b: 1 }] }, { a: [{ b: 2 }, { b: 3 }] }, ["a[0].b", "a[1]"]],
    ["a list of plain values and of objects", { a: [1] }, { a: [{ b: 1 }] }, ["a"]],
    ["a list of objects and of plain values", { a: [{ b: 1 }] }, { a: [1] }, ["a"]],
    ["a list with both", { a: [{ b: 1 }, 1] }, { a: [{ b: 2 }, 1] }, ["a"]],
    ["a list and an object", { a: [{ b: 1 }] }, { a: { b: 1 } }, ["a"]],
    ["an object and a list", { a: { b: 1 } }, { a: [{ b: 1 }] }, ["a"]],
    ["null and an object", { a: null }, { a: { b: 1 } }, ["a"]],
    ["an object and a value", { a: { b: 1 } }, { a: 1 }, ["a"]],
  ])("are found in %s", (_, before, after, keys) => {
    const now = { ...configurationOf(after, "/other"), workspace: true };
    expect(changedKeys(configurationOf(before), now)).toEqual(keys);
  });
});

describe("the secrets whose files differ", () => {
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

  it("are found by their keys, wherever their files are", () => {
    const changed = (after: object): readonly string[] =>
      changedSecrets(configuration, before, new Map([...before, ...Object.entries(after)]));
    expect(changed({})).toEqual([]);
    expect(changed({ "/srv/gateway.config.json": "2" })).toEqual([]);
    expect(changed({ "/srv/two": "2" })).toEqual(["list[1].key"]);
    expect(changed({ "/srv/token.txt": "2", "/keys/one": "missing" })).toEqual([
      "token",
      "list[0].key",
    ]);
    expect(changedSecrets(configuration, new Map(), before), "not read before").toEqual([]);
  });
});
