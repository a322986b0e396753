import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { advicesOf, type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { describe, expect, it } from "vitest";
import { documentedTable } from "./harness/fault-document.ts";

// What a code says of a submission is taken through the client and the command line by submissions/answers-agree.test.ts,
// through the MCP server by apps/mcp/test/answers-agree.test.ts, and through the reference by
// packages/reference/test/error-pages.test.ts, all from the same list that the document is compared with here.

const path = fileURLToPath(new URL("../../../docs/errors.md", import.meta.url));
const text = readFileSync(path, "utf8");

/** The rows of the table that has these heads, without the signs that make code of a text. */
function rowsUnder(...heads: readonly string[]): readonly (readonly string[])[] {
  const [, after] = text.split(`| ${heads.join(" | ")} |\n`);
  if (after === undefined) throw new Error(`docs/errors.md has no table of ${heads.join(", ")}`);
  const [table = ""] = after.split("\n\n");
  const [, ...rows] = table.trimEnd().split("\n");
  return rows.map((row) => cellsOf(row));
}

function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim().replaceAll("`", ""));
}

const calls = ["submission", "other"] as const;
type Call = (typeof calls)[number];

/** Of the table of faults, without its first column. */
const SUBMISSION_COLUMN = 3;

const own = rowsUnder("status", "code", "call", "outcome", "retry", "what to do");
const further = rowsUnder("code", "call", "outcome", "retry", "when");
const codes = Object.keys(problemCodes).filter((code): code is ProblemCode => code in problemCodes);

/** A line for everything that a problem can say, in words that the document has, too. */
function known(call: Call): readonly string[] {
  return codes.flatMap((code) =>
    advicesOf(code, call === "submission").map(
      ({ outcome, retry }) => `${code} ${outcome} ${retry}`,
    ),
  );
}

/** The same of the document's two tables; a cell may name several codes. */
function documented(call: Call): readonly string[] {
  return [...own.map(([, ...cells]) => cells), ...further]
    .filter(([, of = ""]) => of === "any" || of === call)
    .flatMap(([named = "", , outcome, retry]) =>
      named.split(", ").map((code) => `${code} ${outcome} ${retry}`),
    );
}

describe("docs/errors.md", () => {
  it("has each code once with its status, outcome and advice", () => {
    const lines = own.map(
      ([status, code, , outcome, retry]) => `${status} ${code} ${outcome} ${retry}`,
    );
    const facts = codes.map((code) => {
      const { outcome, retry, status } = problemCodes[code];
      return `${status} ${code} ${outcome} ${retry}`;
    });
    expect(lines.toSorted()).toEqual(facts.toSorted());
  });

  it.each(calls)("has everything that a problem can say of the call: %s", (call) => {
    expect(documented(call).toSorted()).toEqual(known(call).toSorted());
  });

  it("says of each row of which call it speaks, and what to do or when it is so", () => {
    const named = [...own.map(([, ...cells]) => cells), ...further];
    for (const [code, of, , , words = "", ...more] of named) {
      expect([code, of]).toEqual([code, expect.stringMatching(/^(any|submission|other)$/)]);
      expect(words, code).toMatch(/\w/);
      expect(more, code).toEqual([]);
    }
  });

  it("explains every outcome and every advice that there is, and no other", () => {
    const explainedOutcomes = rowsUnder("outcome", "the insurer").map(([outcome = ""]) => outcome);
    const explainedRetries = rowsUnder("retry", "what to do next").map(([retry = ""]) => retry);
    const advices = codes.flatMap((code) => [...advicesOf(code, true), ...advicesOf(code, false)]);
    const outcomes = new Set(advices.map(({ outcome }) => outcome));
    const retries = new Set(advices.map(({ retry }) => retry));
    expect(explainedOutcomes.toSorted()).toEqual([...outcomes].toSorted());
    expect(explainedRetries.toSorted()).toEqual([...retries].toSorted());
  });

  it("has no fault that a problem of its code cannot say", () => {
    const [, , ...rows] = documentedTable("faults").trimEnd().split("\n");
    expect(rows.length).toBeGreaterThan(0);
    const said = rows.flatMap((row) => {
      const [, ...cells] = cellsOf(row);
      return cells.flatMap((cell, column) => {
        const call: Call = column === SUBMISSION_COLUMN ? "submission" : "other";
        const problems = cell.matchAll(/(\d{3}) (([A-Z_]+) \w+ \w+) ·/g);
        return [...problems].map(([, status, line = "", code]) => ({ call, code, line, status }));
      });
    });
    const wrong = said.filter(
      ({ call, code, line, status }) =>
        !known(call).includes(line) ||
        !own.some(([ownStatus, ownCode]) => ownCode === code && ownStatus === status),
    );
    expect(said.length).toBeGreaterThan(rows.length);
    expect(wrong).toEqual([]);
  });
});
