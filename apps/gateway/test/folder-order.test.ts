import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const source = new URL("../src/", import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
const documentation = readFileSync(
  new URL("../../../docs/architecture.md", import.meta.url),
  "utf8",
);
/** The folders and files in the table of docs/architecture.md, in the order of the table. */
const order = [
  ...documentation
    .slice(documentation.indexOf("## Folders of the gateway"), documentation.indexOf("## Kinds"))
    .matchAll(/^\| (`.*?`) \|/gm),
].flatMap(([, names = ""]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));

/** Returns the longest entry of `order` that is the file itself or a folder above the file. */
function entryOf(file: string): string | undefined {
  return order
    .filter((entry) => file === `${entry}.ts` || file.startsWith(`${entry}/`))
    .toSorted((one, other) => other.length - one.length)[0];
}

/** Returns the files that a file imports, including imports of types only. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(new URL(file, source), "utf8");
  const found = text.matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => join(dirname(file), path));
}

it("the table of docs/architecture.md lists each folder and file of the gateway and nothing else", () => {
  expect(files.filter((file) => entryOf(file) === undefined)).toEqual([]);
  expect(order.filter((entry) => !files.some((file) => entryOf(file) === entry))).toEqual([]);
});

it("a file of the gateway imports only from its own folder and from folders that docs/architecture.md lists below this folder", () => {
  const upward = files.flatMap((file) =>
    importsOf(file).flatMap((imported) => {
      const [own = "", other = ""] = [entryOf(file), entryOf(imported)];
      return order.indexOf(other) <= order.indexOf(own)
        ? []
        : [`${file} imports ${imported}, but ${own} is below ${other} in docs/architecture.md`];
    }),
  );
  expect(upward).toEqual([]);
});

it("all files of the gateway have different names", () => {
  const byName = Map.groupBy(files, (file) => basename(file));
  expect([...byName.values()].filter((same) => same.length > 1)).toEqual([]);
});

/** The page about tests, and the list of harness files at the end of the page. */
const testing = readFileSync(
  new URL("../../../docs/contributing/testing.md", import.meta.url),
  "utf8",
);

it("docs/contributing/testing.md lists exactly the existing harness files of each package", () => {
  const harness = globSync("*/*/test/harness/**/*.ts", {
    cwd: fileURLToPath(new URL("../../../", import.meta.url)),
    exclude: (name) => name === "node_modules",
  });
  const listed = testing
    .split("\n### ")
    .slice(1)
    .flatMap((section) => {
      const [folder] = section.split("\n", 1);
      return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(
        ([, name]) => `${folder}/test/harness/${name}.ts`,
      );
    });
  expect(listed.toSorted()).toEqual(harness.toSorted());
});

it("the example test in docs/contributing/testing.md is a copy of a test in the repository", () => {
  const example = readFileSync(new URL("documented-example.test.ts", import.meta.url), "utf8");
  expect(testing).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});
