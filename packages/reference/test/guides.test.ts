import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readGuides } from "../src/site/guides/guides.ts";

/** The documents in docs/ that are not guides: they are for contributors and for authors of provider packages. */
const notShown = [
  "a-difficult-insurer",
  "adding-a-provider",
  "adding-an-endpoint",
  "architecture",
  "catalogue",
  "decisions",
  "decisions-errors",
  "decisions-submissions",
  "importing",
  "lifecycle",
  "performance",
  "reference",
];

const folder = fileURLToPath(new URL("../../../docs", import.meta.url));

it("every document in docs/ is either a guide of the reference or a document for contributors", () => {
  const documents = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const known = [...readGuides().map(({ name }) => name), ...notShown];
  expect(documents).toEqual(known.map((name) => `${name}.md`).toSorted());
});

it("the list of guides has each guide with its title and its section headings", () => {
  const guides = readGuides();
  expect(guides.flatMap(({ headings }) => headings).length).toBeGreaterThan(guides.length);
  for (const { headings, name, title } of guides) {
    const markdown = readFileSync(join(folder, `${name}.md`), "utf8").replaceAll("`", "");
    for (const text of [title, ...headings.map((heading) => heading.text)])
      expect(markdown, name).toContain(`# ${text}\n`);
  }
});
