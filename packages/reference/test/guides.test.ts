import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { listedGuides } from "../src/site/guides/guide-list.ts";

/** Documents for contributors to this project and for authors of providers. */
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

it("every document of docs/ is a guide of the reference or is for contributors", () => {
  const folder = fileURLToPath(new URL("../../../docs", import.meta.url));
  const documents = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const known = [...listedGuides.map(({ name }) => name), ...notShown];
  expect(documents).toEqual(known.map((name) => `${name}.md`).toSorted());
});
