import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPackage, writeChanged } from "../src/folder.ts";
import { listsOf } from "../src/lists.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const folders = globSync("packages/*/src/provider.ts", { cwd: repository }).map((path) =>
  dirname(dirname(path)),
);

const endpoint = (name: string, rest = ""): string =>
  `/** Finds ${name}: a | b. More about it. */
export const ${name}: Read<{ response: X }> = read({
  provider: "provider-x", path: "/things/{id}", ${rest} response: { 200: x },
});
`;

/** Returns the files of a package with one endpoint for each file name. */
function packageWith(endpoints: Readonly<Record<string, string>>): Map<string, string> {
  const files = Object.entries(endpoints).map(([stem, name]): [string, string] => [
    `src/endpoints/${stem}.ts`,
    endpoint(name),
  ]);
  return new Map([
    [
      "src/provider.ts",
      `export const providerX: Provider<typeof endpoints> = defineProvider({ id: "provider-x", name: "X" });\n`,
    ],
    ["README.md", "# X\n"],
    ...files,
  ]);
}

describe("generated lists of the workspace", () => {
  it("the workspace has a package for each of the 23 providers", () => {
    expect(folders.length).toBeGreaterThanOrEqual(23);
  });

  it.each(folders)(
    "the generated lists of a provider package match the package's files (`npm run lists` writes the lists): %s",
    (folder) => {
      const files = readPackage(join(repository, folder));
      for (const [path, text] of listsOf(files)) expect(files.get(path), path).toBe(text);
    },
  );
});

describe("listsOf", () => {
  it("the function listsOf sorts a package's endpoints, types, examples and handlers in the order that biome requires", () => {
    const files = packageWith({ "find-b10": "b10", "find-b2": "b2", find: "a", "find-b": "b" });
    files.set("src/schemas/thing-list.ts", "export interface ThingList {}\n");
    files.set("src/schemas/thing.ts", "export interface Thing {}\n");
    files.set(
      "src/examples/shared.ts",
      "export const thing = {};\nexport const noneExamples = {};\n",
    );
    files.set("src/examples/find.ts", "export const aExamples: Examples<typeof a> = {};\n");
    files.set("src/sandbox/handlers/find.ts", "export const aHandler: H = () => ({});\n");
    const lists = listsOf(files);
    expect(lists.get("src/index.ts")).toBe(`export * from "./endpoints/index.ts";
export { providerX } from "./provider.ts";
export type * from "./schemas/thing.ts";
export type * from "./schemas/thing-list.ts";
`);
    expect(lists.get("src/endpoints/index.ts")).toBe(`export { a } from "./find.ts";
export { b } from "./find-b.ts";
export { b2 } from "./find-b2.ts";
export { b10 } from "./find-b10.ts";
`);
    expect(lists.get("src/examples/index.ts")).toBe(
      `export { aExamples as a } from "./find.ts";\n`,
    );
    expect(lists.get("src/sandbox/handlers/index.ts")).toBe(
      `export { aHandler as a } from "./find.ts";\n`,
    );
  });

  it("listsOf adds a sandbox and a conformance test to a package that has its first endpoint, and replaces no existing file", () => {
    const files = packageWith({ find: "a" });
    const added = listsOf(files);
    expect(added.get("src/sandbox.ts")).toContain("defineSandbox<typeof providerX>");
    expect(added.get("test/provider.test.ts")).toContain(`id: "provider-x", provider: providerX`);
    for (const path of ["src/sandbox.ts", "test/provider.test.ts"]) files.set(path, "my own\n");
    expect([...listsOf(files).values()]).not.toContainEqual(
      expect.stringContaining("defineSandbox"),
    );
    expect([...listsOf(files).keys()]).not.toContain("test/provider.test.ts");
  });

  it("listsOf writes an empty endpoints module and changes no other file of a package without endpoints", () => {
    const lists = listsOf(packageWith({}));
    expect(lists.get("src/endpoints/index.ts")).toContain("export {};");
    expect(lists.get("README.md")).toContain("This package declares no endpoint yet.");
    expect([...lists.keys()]).toEqual(["src/index.ts", "src/endpoints/index.ts", "README.md"]);
  });

  it("listsOf replaces the table between the two marker comments of a README and keeps the other text", () => {
    const files = packageWith({ find: "a" });
    const first = listsOf(files).get("README.md") ?? "";
    expect(first).toContain(
      "| `a`  | `GET /provider-x/things/{id}` | read | none    | `X`    | Finds a: a \\| b |",
    );
    const kept = `${first.replace("# X", "# Y").replace("Finds a", "Something old")}\n## More\n`;
    const again = listsOf(new Map([...files, ["README.md", kept]])).get("README.md");
    expect(again).toBe(`${first.replace("# X", "# Y")}\n## More\n`);
  });

  it.each([
    ["a file without an endpoint", "export const a = 1;\n", "declares no endpoint"],
    [
      "two endpoints in a file",
      endpoint("a") + endpoint("b"),
      "a and b: give each endpoint a file",
    ],
    ["a path that is not a literal", endpoint("a").replace(/"\/things.*?"/, "there"), "`path`"],
  ])(
    "listsOf rejects an invalid file in the endpoints folder, and the error names the file: %s",
    (_, text, words) => {
      const files = new Map([...packageWith({}), ["src/endpoints/find.ts", text] as const]);
      expect(() => listsOf(files)).toThrow(words);
      expect(() => listsOf(files)).toThrow("src/endpoints/find.ts");
    },
  );
});

describe("writeChanged", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lists-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("writeChanged writes only the files with a new content", () => {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/same.ts"), "same\n");
    const before = statSync(join(folder, "src/same.ts"), { bigint: true }).mtimeNs;
    const files = new Map([
      ["src/same.ts", "same\n"],
      ["src/new/index.ts", "new\n"],
    ]);
    expect(writeChanged(folder, files)).toEqual(["src/new/index.ts"]);
    expect(writeChanged(folder, files)).toEqual([]);
    expect(existsSync(join(folder, "src/new/index.ts"))).toBe(true);
    expect(statSync(join(folder, "src/same.ts"), { bigint: true }).mtimeNs).toBe(before);
  });
});
