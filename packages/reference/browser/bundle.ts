import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";

/** Builds what browsers load into `dist/assets`: scripts and styles. */
const here = import.meta.dirname;
const target = join(here, "../dist/assets");

mkdirSync(target, { recursive: true });
await build({
  config: false,
  entry: {
    page: join(here, "page.ts"),
    form: join(here, "form/form.ts"),
    "lost-answer": join(here, "lost-answer.ts"),
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
// One file of styles for every page: `style.css`, then those of `styles` in the order of their names.
const styles = readdirSync(join(here, "styles"))
  .toSorted()
  .map((name) => join("styles", name));
writeFileSync(
  join(target, "style.css"),
  ["style.css", ...styles].map((name) => readFileSync(join(here, name), "utf8")).join(""),
);
