import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  advicesOf,
  type ProblemCode,
  problemCodes,
  rareMeanings,
} from "@insurance-gateway/core/problems";
import { describe, expect, it } from "vitest";
import { documentedTable, writeTable } from "../harness/fault-document.ts";

// Other tests check the same list of codes: submissions/answers-agree.test.ts for the client and the command line,
// apps/mcp/test/answers-agree.test.ts for the MCP server, packages/reference/test/error-pages.test.ts for the
// reference.

const path = fileURLToPath(new URL("../../../../docs/errors.md", import.meta.url));
const text = readFileSync(path, "utf8");

/** Returns the rows of the document's table with the given heads, without backticks. */
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

type Call = "submission" | "other";

/** The index of the column for submissions in the table of faults, without the first column. */
const SUBMISSION_COLUMN = 3;

const own = rowsUnder("status", "code", "call", "outcome", "retry", "what to do");
const codes = Object.keys(problemCodes).filter((code): code is ProblemCode => code in problemCodes);

/** Returns a line for every possible meaning of a problem, in the words of the document. */
function known(call: Call): readonly string[] {
  return codes.flatMap((code) =>
    advicesOf(code, call === "submission").map(
      ({ outcome, retry }) => `${code} ${outcome} ${retry}`,
    ),
  );
}

describe("docs/errors.md", () => {
  it("docs/errors.md lists each problem code only once, with status, calls, usual outcome and advice", () => {
    const lines = own.map((cells) => cells.slice(0, 5).join(" "));
    const facts = codes.map((code) => {
      const { call, outcome, retry, status } = problemCodes[code];
      return `${status} ${code} ${call} ${outcome} ${retry}`;
    });
    expect(lines.toSorted()).toEqual(facts.toSorted());
  });

  it("docs/errors.md lists each rare outcome of a code with the outcome's condition", () => {
    const quoted = (name: string): string => `\`${name}\``;
    const lines = rareMeanings.map(({ call, codes: named, outcome, retry, when }) =>
      [named.map(quoted).join(", "), call, quoted(outcome), quoted(retry), when].join(" | "),
    );
    const table = ["code | call | outcome | retry | when", "--- | --- | --- | --- | ---", ...lines]
      .map((line) => `| ${line} |\n`)
      .join("");
    if (process.env.UPDATE_DOCS === "1") writeTable("rare", table);
    expect(documentedTable("rare")).toBe(table);
  });

  it("docs/errors.md gives advice for each problem code", () => {
    for (const [, code, , , , words = "", ...more] of own) {
      expect(words, code).toMatch(/\w/);
      expect(more, code).toEqual([]);
    }
  });

  it("docs/errors.md explains exactly the existing outcomes and values of `retry`", () => {
    const explainedOutcomes = rowsUnder("outcome", "the insurer").map(([outcome = ""]) => outcome);
    const explainedRetries = rowsUnder("retry", "what to do next").map(([retry = ""]) => retry);
    const advices = codes.flatMap((code) => [...advicesOf(code, true), ...advicesOf(code, false)]);
    const outcomes = new Set(advices.map(({ outcome }) => outcome));
    const retries = new Set(advices.map(({ retry }) => retry));
    expect(explainedOutcomes.toSorted()).toEqual([...outcomes].toSorted());
    expect(explainedRetries.toSorted()).toEqual([...retries].toSorted());
  });

  it("docs/errors.md gives each fault a meaning that a problem with the fault's code can have", () => {
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
