import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";

/** Builds the scripts and styles for browsers into `dist/assets`. */
const here = import.meta.dirname;
const target = join(here, "../dist/assets");

// The gateway serves every file in this folder, so old files are removed.
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  config: false,
  entry: {
    page: join(here, "page.ts"),
    form: join(here, "form/form.ts"),
    "lost-answer": join(here, "lost-answer/lost-answer.ts"),
    labels: join(here, "labels.ts"),
    search: join(here, "../src/search/find.ts"),
  },
  outDir: target,
  format: ["esm"],
  platform: "browser",
  target: "es2022",
  minify: true,
  splitting: false,
  silent: true,
  noExternal: ["minisearch"],
});
for (const name of ["icon.svg", "NOTICE.txt"]) cpSync(join(here, name), join(target, name));
// All pages share one style sheet: base styles, the parts in alphabetical order, then print styles.
const parts = readdirSync(join(here, "styles")).filter(
  (name) => !["base.css", "print.css"].includes(name),
);
writeFileSync(
  join(target, "style.css"),
  ["base.css", ...parts.toSorted(), "print.css"]
    .map((name) => readFileSync(join(here, "styles", name), "utf8"))
    .join(""),
);
