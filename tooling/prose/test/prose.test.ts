import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "prose-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lints a file with the rules of this repository. */
function lint(name: string, content: string): { readonly code: number | null; report: string } {
  const path = join(folder, name);
  writeFileSync(path, content);
  const parameters = name.endsWith(".md") ? ["--no-globs", path] : ["-c", ".oxlintrc.json", path];
  const program = name.endsWith(".md") ? "markdownlint-cli2" : "oxlint";
  const { status, stderr, stdout } = spawnSync(program, parameters, {
    cwd: root,
    encoding: "utf8",
  });
  return { code: status, report: stdout + stderr };
}

it.each([
  ["comment.ts", "/** What a quota limits: every call. */", "Name the thing"],
  ["limit.ts", "// So many stay open at most.", "Maximum of open accounts"],
  ["word.ts", "/** A stand-in. */", "simulated insurer"],
  // oxlint-disable-next-line prose/texts -- The lint must refuse this text.
  ["text.ts", 'export const help = "the file; standard output when left out";', "(default: 20)"],
  ["title.ts", 'it("that is late is refused", () => undefined);', "A title reads alone"],
  ["verb.ts", 'it("refuses a late answer", () => undefined);', "Begin with the subject"],
  ["table.ts", 'it.each([1])("with %i is refused", () => undefined);', "A title reads alone"],
  ["page.md", "Whoever calls gets an answer.", "clients that"],
])("the lint refuses an odd phrase and gives advice: %s", (name, content, advice) => {
  const { code, report } = lint(name, `${content}\n`);
  expect(code, report).toBe(1);
  expect(report).toContain(advice);
});

it.each([
  ["plain.ts", "/** Quota types: accepted calls, or new submissions. */\nexport const one = 1;"],
  ["plain.md", "Clients that call get an answer."],
])("the lint accepts plain English: %s", (name, content) => {
  const { code, report } = lint(name, `${content}\n`);
  expect(code, report).toBe(0);
});
