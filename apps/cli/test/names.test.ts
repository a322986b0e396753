import { nearestNames } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { RedactingCommand } from "../src/redacting-command.ts";

describe("suggestions for a mistyped word", () => {
  it.each([
    // Words with one missing, additional, wrong or swapped letter.
    ["a missing letter", "lst", ["list", "show"], ["list"]],
    ["one letter too many", "liist", ["list", "show"], ["list"]],
    ["a wrong letter", "lisk", ["list", "show"], ["list"]],
    ["two swapped letters", "lsit", ["list", "lent"], ["list"]],
    ["a missing letter at the beginning", "roviders", ["providers"], ["providers"]],
    ["a missing letter at the end", "provider", ["providers"], ["providers"]],
    ["swapped letters at the beginning", "sumbissions", ["submissions"], ["submissions"]],
    // Words with several edits.
    ["three wrong letters of eight", "abcdefgh", ["abcdexyz"], ["abcdexyz"]],
    ["four wrong letters of eight, which are too many", "abcdefgh", ["abcdwxyz"], []],
    ["three additional letters", "abcdefgh", ["abcde"], ["abcde"]],
    ["four additional letters, which are too many", "abcdefgh", ["abcd"], []],
    ["three missing letters", "abcde", ["abcdefgh"], ["abcdefgh"]],
    ["four missing letters, which are too many", "abcd", ["abcdefgh"], []],
    ["two swaps, which are two edits", "badcefgh", ["abcdefgh"], ["abcdefgh"]],
    ["four swaps, which are four edits", "badcfehg", ["abcdefgh"], []],
    ["a swap and a letter between, which are two edits", "ca", ["abc"], []],
    ["a swapped letter, which is not edited again", "cab", ["abc", "cob"], ["cob"]],
    ["distant letters, which are not swapped", "xbcdefgy", ["ybcdefgx"], ["ybcdefgx"]],
    // At most half of the letters may differ.
    ["one wrong letter of two", "ab", ["ax"], ["ax"]],
    ["one wrong letter of one, which is too many", "a", ["b"], []],
    ["two wrong letters of three, which are too many", "abc", ["axy"], []],
    ["two wrong letters of four", "abcd", ["abxy"], ["abxy"]],
    ["three wrong letters of five, which are too many", "abcde", ["abxyz"], []],
    ["three wrong letters of six", "abcdef", ["abcxyz"], ["abcxyz"]],
    ["two missing letters of four", "ab", ["abcd"], ["abcd"]],
    // Several names are equally near.
    ["only the nearest name", "reloda", ["reload", "reloads", "relay"], ["reload"]],
    [
      "all equally near names in alphabetical order",
      "provider-x",
      ["provider-c", "provider-b"],
      ["provider-b", "provider-c"],
    ],
    ["a repeated name only once", "lsit", ["list", "list"], ["list"]],
    ["an exact name", "list", ["list", "lost"], ["list"]],
    ["an empty list of names", "list", [], []],
    ["an empty word", "", ["list"], []],
  ] as const)(
    "the command line suggests the most similar names for a mistyped word, or none if no name is similar: %s, %j",
    (_, word, names, near) => {
      expect(nearestNames(word, names)).toEqual(near);
    },
  );

  it.each([
    ["kitten", "sitting", true],
    ["saturday", "sunday", true],
    ["gumbo", "gambol", true],
    ["intention", "execution", false],
  ])(
    "the command line suggests a longer or shorter name for a mistyped word only if few letters differ: %s and %s",
    (word, name, isNear) => {
      expect(nearestNames(word, [name])).toEqual(isNear ? [name] : []);
    },
  );
});

/** Returns the error message for an invalid command line. */
function refusalOf(parameters: readonly string[]): string {
  let said = "";
  const program = new RedactingCommand("program")
    .exitOverride()
    .configureOutput({ writeErr: (text) => (said += text) });
  program.command("list").alias("ls").option("--limit <count>").option("--json").option("-x");
  program.command("lint").argument("[file]");
  program.command("show").argument("<id>");
  program.command("internal", { hidden: true });
  expect(() => program.parse(parameters, { from: "user" })).toThrow();
  return said;
}

describe("an invalid command line", () => {
  it.each([
    [["lits"], "error: unknown command 'lits'\n(Did you mean list?)\n"],
    [["lind"], "error: unknown command 'lind'\n(Did you mean lint?)\n"],
    [["list", "--jsno"], "error: unknown option '--jsno'\n(Did you mean --json?)\n"],
    [["list", "--limt", "7"], "error: unknown option '--limt'\n(Did you mean --limit?)\n"],
    [["lixt"], "error: unknown command 'lixt'\n(Did you mean one of lint, list?)\n"],
    [["lz"], "error: unknown command 'lz'\n(Did you mean ls?)\n"],
    [["everything"], "error: unknown command 'everything'\n"],
    [["interna"], "error: unknown command 'interna'\n"],
    [["list", "--everything"], "error: unknown option '--everything'\n"],
    [["lint", "a", "b"], "error: too many arguments for 'lint': 1 expected, 2 given\n"],
    [["show"], "error: missing required argument 'id'\n"],
  ])(
    "the error for an invalid command line contains the unknown word and similar names: %j",
    (parameters, said) => {
      expect(refusalOf(parameters)).toBe(said);
    },
  );

  it.each([
    [["list", "--limt=123456789"], "error: unknown option '--limt'\n(Did you mean --limit?)\n"],
    [["list", "--limt=Μαρία\nPapas"], "error: unknown option '--limt'\n(Did you mean --limit?)\n"],
    [["list", "-yMaria"], "error: unknown option '-y'\n"],
    [["list", "--123456789"], "error: unknown option\n"],
    [["list", "--Μαρία"], "error: unknown option\n"],
    [["list", "--name Maria"], "error: unknown option\n"],
    [["12345"], "error: unknown command\n"],
    [["a12345"], "error: unknown command\n"],
    [["a1234"], "error: unknown command 'a1234'\n"],
    [["Maria Papas"], "error: unknown command\n"],
    [["a".repeat(64)], `error: unknown command '${"a".repeat(64)}'\n`],
    [["a".repeat(65)], "error: unknown command\n"],
    [["lint", "Maria", "Papas"], "error: too many arguments for 'lint': 1 expected, 2 given\n"],
  ])(
    "the error for an invalid command line does not repeat a word that may be personal data: %j",
    (parameters, said) => {
      expect(refusalOf(parameters)).toBe(said);
    },
  );
});
