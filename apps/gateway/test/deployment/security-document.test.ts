import { describe, expect, it } from "vitest";
import { isThere, textOf } from "./repository.ts";

const text = ["security", "threats", "security-standards"]
  .map((page) => textOf(`docs/${page}.md`))
  .join("\n");

/** The folders to which file names in the pages on security are relative. */
const PLACES = ["apps/gateway/test/", "apps/gateway/src/", ""];

/** Returns the path of a named file or folder; undefined if the file or folder does not exist. */
function placeOf(name: string): string | undefined {
  return PLACES.map((place) => place + name).find(isThere);
}

/** The names and paths of files that the pages on security have in backticks. */
const named = [...new Set(text.match(/(?<=`)[\w@./-]+\.(?:ts|ya?ml|md|json)(?=`)/g))].filter(
  // The file `sbom.json` is in the image, and not in the repository.
  (name) => name !== "sbom.json",
);

/** Files with tests, each with a title of a test or case that the pages on security quote from the file. */
const quoting = [...text.matchAll(/`([^`]+\.ts)`((?:,? "[^"]+")+)/g)].flatMap(
  ([, file = "", quoted = ""]) =>
    [...quoted.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => [file, name] as const),
);

describe("the pages on security", () => {
  it("the documentation's pages on security name more than 40 files, and quote more than 60 titles of tests", () => {
    expect(named.length).toBeGreaterThan(40);
    expect(quoting.length).toBeGreaterThan(60);
  });

  it.each(named)("the documentation's pages on security name only existing files: %s", (name) => {
    expect(placeOf(name)).toBeDefined();
  });

  it.each(quoting)(
    "the documentation's pages on security quote the titles of %s correctly: %s",
    (file, name) => {
      expect(textOf(placeOf(file) ?? file)).toMatch(
        new RegExp(`["'\`]${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}["'\`]`),
      );
    },
  );

  it("the documentation's pages on security list no ASVS item both as claimed and as not claimed", () => {
    const [claimed = "", not = ""] = text
      .slice(text.indexOf("## OWASP ASVS"))
      .split("\nThe gateway does not claim to meet the requirements in this table:\n");
    const itemsIn = (part: string): readonly string[] =>
      [...part.matchAll(/^\| ([\d., ]+)/gm)].flatMap(([, items = ""]) => items.trim().split(", "));
    const both = itemsIn(claimed).filter((item) => itemsIn(not).includes(item));
    expect(both).toEqual([]);
    expect(itemsIn(claimed).length).toBeGreaterThan(40);
    expect(itemsIn(not)).not.toEqual([]);
  });
});
