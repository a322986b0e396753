import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keyRules, ruleOf } from "../../src/reload/keys.ts";
import { configurationKeys } from "../configuration/configuration-keys.ts";

const paths = configurationKeys().map(([path]) => path);
const document = readFileSync(
  new URL("../../../../docs/configuration.md", import.meta.url),
  "utf8",
);

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
