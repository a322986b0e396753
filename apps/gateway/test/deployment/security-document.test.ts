import { describe, expect, it } from "vitest";
import { isThere, textOf } from "./repository.ts";

const text = ["security", "threats", "security-standards"]
  .map((page) => textOf(`docs/${page}.md`))
  .join("\n");

/** Where a name in the document may be from. */
const PLACES = ["apps/gateway/test/", "apps/gateway/src/", ""];

/** The file or folder that the document means. */
function placeOf(name: string): string | undefined {
  return PLACES.map((place) => place + name).find(isThere);
}

/** Whatever in backticks is a file's name or path. */
const named = [...new Set(text.match(/(?<=`)[\w@./-]+\.(?:ts|ya?ml|md|json)(?=`)/g))].filter(
  // This file is in the image, and not in the repository.
  (name) => name !== "sbom.json",
);

/** Each file with the names of tests or cases that are quoted from it. */
const quoting = [...text.matchAll(/`([^`]+\.ts)`((?:,? "[^"]+")+)/g)].flatMap(
  ([, file = "", quoted = ""]) =>
    [...quoted.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => [file, name] as const),
);

describe("the pages on security", () => {
  it("names and quotes tests", () => {
    expect(named.length).toBeGreaterThan(40);
    expect(quoting.length).toBeGreaterThan(60);
  });

  it.each(named)("names a file that is there: %s", (name) => {
    expect(placeOf(name)).toBeDefined();
  });

  it.each(quoting)("the pages on security quote %s correctly: %s", (file, name) => {
    expect(textOf(placeOf(file) ?? file)).toMatch(
      new RegExp(`["'\`]${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}["'\`]`),
    );
  });

  it("claims no item of ASVS that it also says it does not", () => {
    const [claimed = "", not = ""] = text
      .slice(text.indexOf("## OWASP ASVS"))
      .split("\nNot claimed, and why:\n");
    const itemsIn = (part: string): readonly string[] =>
      [...part.matchAll(/^\| ([\d., ]+)/gm)].flatMap(([, items = ""]) => items.trim().split(", "));
    const both = itemsIn(claimed).filter((item) => itemsIn(not).includes(item));
    expect(both).toEqual([]);
    expect(itemsIn(claimed).length).toBeGreaterThan(40);
  });
});
