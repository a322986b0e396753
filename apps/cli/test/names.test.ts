import { nearestNames } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { DiscreetCommand } from "../src/discreet-command.ts";

describe("the nearest names", () => {
  it.each([
    // One edit of each kind.
    ["a letter is missing", "lst", ["list", "show"], ["list"]],
    ["a letter is too many", "liist", ["list", "show"], ["list"]],
    ["a letter is another", "lisk", ["list", "show"], ["list"]],
    ["two letters are swapped", "lsit", ["list", "lent"], ["list"]],
    ["a letter is missing at the beginning", "roviders", ["providers"], ["providers"]],
    ["a letter is missing at the end", "provider", ["providers"], ["providers"]],
    ["letters are swapped at the beginning", "sumbissions", ["submissions"], ["submissions"]],
    // Edits count together.
    ["three edits are near", "abcdefgh", ["abcdexyz"], ["abcdexyz"]],
    ["four edits are another word", "abcdefgh", ["abcdwxyz"], []],
    ["three letters too many are near", "abcdefgh", ["abcde"], ["abcde"]],
    ["four letters too many are another word", "abcdefgh", ["abcd"], []],
    ["three letters missing are near", "abcde", ["abcdefgh"], ["abcdefgh"]],
    ["four letters missing are another word", "abcd", ["abcdefgh"], []],
    ["two swaps are two edits", "badcefgh", ["abcdefgh"], ["abcdefgh"]],
    ["four swaps are four edits", "badcfehg", ["abcdefgh"], []],
    ["a swap and a letter between are two edits, which is more than one", "ca", ["abc"], []],
    ["what was swapped is not edited again", "cab", ["abc", "cob"], ["cob"]],
    ["letters far from each other are not swapped", "xbcdefgy", ["ybcdefgx"], ["ybcdefgx"]],
    // A short word must be alike for the most part.
    ["one of two letters is near", "ab", ["ax"], ["ax"]],
    ["one letter of one is another word", "a", ["b"], []],
    ["two of three letters are another word", "abc", ["axy"], []],
    ["two of four letters are near", "abcd", ["abxy"], ["abxy"]],
    ["three of five letters are another word", "abcde", ["abxyz"], []],
    ["three of six letters are near", "abcdef", ["abcxyz"], ["abcxyz"]],
    ["the longer word counts", "ab", ["abcd"], ["abcd"]],
    // Ties.
    ["of near names the nearest", "reloda", ["reload", "reloads", "relay"], ["reload"]],
    [
      "of equally near names each, in order",
      "provider-x",
      ["provider-c", "provider-b"],
      ["provider-b", "provider-c"],
    ],
    ["a name that is twice there once", "lsit", ["list", "list"], ["list"]],
    ["the name itself", "list", ["list", "lost"], ["list"]],
    ["nothing of no names", "list", [], []],
    ["nothing near to nothing", "", ["list"], []],
  ] as const)("%s: of %j", (_, word, names, near) => {
    expect(nearestNames(word, names)).toEqual(near);
  });

  it.each([
    ["kitten", "sitting", true],
    ["saturday", "sunday", true],
    ["gumbo", "gambol", true],
    ["intention", "execution", false],
  ])("counts edits in words of different length: %s and %s", (word, name, isNear) => {
    expect(nearestNames(word, [name])).toEqual(isNear ? [name] : []);
  });
});

/** Returns the message with which a command refuses a command line. */
function refusalOf(parameters: readonly string[]): string {
  let said = "";
  const program = new DiscreetCommand("program")
    .exitOverride()
    .configureOutput({ writeErr: (text) => (said += text) });
  program.command("list").alias("ls").option("--limit <count>").option("--json").option("-x");
  program.command("lint").argument("[file]");
  program.command("show").argument("<id>");
  program.command("internal", { hidden: true });
  expect(() => program.parse(parameters, { from: "user" })).toThrow();
  return said;
}

describe("a command line that is refused", () => {
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
  ])("a refused command line names the unknown word and similar ones: %j", (parameters, said) => {
    expect(refusalOf(parameters)).toBe(said);
  });

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
  ])("repeats nothing that may be of a customer: %j", (parameters, said) => {
    expect(refusalOf(parameters)).toBe(said);
  });
});
