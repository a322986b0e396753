import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = fileURLToPath(new URL("../../../../docs/operating.md", import.meta.url));
const BEGIN = "<!-- resilience:begin -->\n";
const END = "<!-- resilience:end -->";

/** Puts figures in the place of those that docs/operating.md has; throws when it has no place for them. */
export function writeFigures(figures: string): void {
  const [before, after] = around();
  writeFileSync(path, before + figures + after);
}

/** Throws when docs/operating.md has no place for the figures. */
export function checkDocument(): void {
  around();
}

function around(): readonly [before: string, after: string] {
  const text = readFileSync(path, "utf8");
  const begin = text.indexOf(BEGIN) + BEGIN.length;
  const end = text.indexOf(END, begin);
  if (begin < BEGIN.length || end < 0)
    throw new Error("docs/operating.md has no place for the figures");
  return [text.slice(0, begin), text.slice(end)];
}
