import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { assignNames, usedDefinitions } from "../src/names/assign-names.ts";
import { writeImport } from "../src/write-import.ts";
import { answering, imported, sample, temporaryFolder } from "./sample.ts";

const provider = { id: "provider-x", name: "Provider X" };
const whole = importProvider({ provider: provider.id, ...sample, all: false });

/** Returns the texts of all files in a folder and its subfolders. */
function contentOf(folder: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, "utf8")]),
  );
}

/** Returns the fields of an interface in a source text. */
function interfaceIn(text: string, name: string): string {
  const [, fields] =
    new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(text) ?? [];
  return fields ?? `there is no ${name}`;
}

describe("written packages", () => {
  it("two imports of the same document write files with the same bytes, and only into the package's folder", () => {
    const [one, other] = [temporaryFolder(), temporaryFolder()];
    for (const folder of [one, other]) writeImport(join(folder, "provider-x"), provider, whole);
    const again = importProvider({ provider: provider.id, ...sample, all: false });
    expect(writeImport(join(one, "provider-x"), provider, again)).toEqual({
      written: [],
      removed: [],
      kept: [],
      missing: [],
    });
    expect(contentOf(one)).toEqual(contentOf(other));
    expect(readdirSync(one)).toEqual(["provider-x"]);
  });

  it("an imported package cannot execute texts of the insurer's document", () => {
    const hostile = '*/ globalThis.hit = 1; /* `globalThis.hit = 1` "; globalThis.hit = 1; //';
    const folder = temporaryFolder();
    const bad = imported(
      {
        "/a": {
          get: {
            operationId: hostile,
            summary: hostile,
            description: `line\n@tag ${hostile}\u2028\u202e`,
            parameters: [
              { in: "query", name: 'a"];x', schema: { type: "string" }, description: hostile },
            ],
            responses: {
              200: {
                content: {
                  "application/json": {
                    schema: { $ref: "#/components/schemas/A" },
                    example: { [hostile]: hostile },
                  },
                },
              },
            },
          },
        },
      },
      {
        A: {
          type: "object",
          title: hostile,
          required: [hostile],
          properties: {
            [hostile]: { type: "string", enum: [hostile, "b"], description: hostile },
            __proto__x: {},
          },
        },
      },
    );
    // If a comment end is removed from this title, the remaining characters form another comment end.
    const title = `${hostile} **// globalThis.hit = 1; /*\u202e`;
    writeImport(join(folder, "provider-x"), provider, { ...bad, title, version: title });
    for (const [path, text] of contentOf(join(folder, "provider-x"))) {
      if (!path.endsWith(".ts")) continue;
      // Without strings and comments, the code contains no text of the document.
      const code = text
        .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
        .replaceAll(/\/\*[\s\S]*?\*\//g, "");
      expect(code, path).not.toMatch(/\bglobalThis\b|[\u2028\u202e]/);
    }
  });

  it("a re-import keeps a person's files and edits, updates the other files and removes the files of a removed endpoint", () => {
    const folder = join(temporaryFolder(), "provider-x");
    writeImport(folder, provider, whole);
    const [edited, own] = ["src/endpoints/create-policy.ts", "src/endpoints/ping.ts"];
    const text = readFileSync(join(folder, edited), "utf8").replace(
      "Creates a policy.",
      "Creates a motor policy.",
    );
    writeFileSync(join(folder, edited), text);
    writeFileSync(
      join(folder, own),
      readFileSync(join(folder, "src/endpoints/lista-kalypseon.ts"), "utf8")
        .replaceAll("listaKalypseon", "ping")
        .replace('"/covers"', '"/ping"'),
    );
    const fewer = {
      ...whole,
      endpoints: whole.endpoints.filter(({ name }) => name !== "reportClaim"),
    };
    const { kept, removed } = writeImport(folder, provider, fewer);
    expect(removed).toEqual(
      expect.arrayContaining(["src/endpoints/report-claim.ts", "src/examples/report-claim.ts"]),
    );
    expect(kept).toEqual([edited]);
    expect(readFileSync(join(folder, edited), "utf8")).toBe(text);
    expect(readFileSync(join(folder, "src/endpoints/index.ts"), "utf8")).toContain(
      'export { ping } from "./ping.ts";',
    );
    expect(existsSync(join(folder, own))).toBe(true);
  });

  it("a re-import keeps the schemas of an edited endpoint even if the document no longer contains the endpoint", () => {
    const folder = join(temporaryFolder(), "provider-x");
    writeImport(folder, provider, whole);
    const edited = "src/endpoints/report-claim.ts";
    const text = `// Changed by hand.\n${readFileSync(join(folder, edited), "utf8")}`;
    writeFileSync(join(folder, edited), text);
    const endpoints = whole.endpoints.filter(({ name }) => name !== "reportClaim");
    const names = assignNames(
      usedDefinitions(endpoints),
      endpoints.map(({ name }) => name),
    );
    const fewer = { ...whole, endpoints, names };
    for (let time = 0; time < 2; time += 1) {
      const { kept, removed } = writeImport(folder, provider, fewer);
      expect(kept).toEqual(
        expect.arrayContaining(["src/examples/report-claim.ts", "src/schemas/claim.ts"]),
      );
      expect(removed).toEqual([]);
      expect(readFileSync(join(folder, edited), "utf8")).toBe(text);
    }
    const imports = [...text.matchAll(/from "\.\.\/([^"]+)"/g)].map(([, path = ""]) => path);
    expect(imports).not.toEqual([]);
    for (const path of imports) expect(existsSync(join(folder, "src", path)), path).toBe(true);
    expect(readFileSync(join(folder, "src/index.ts"), "utf8")).toContain('"./schemas/claim.ts"');
    // After the edited endpoint is removed, no file needs the endpoint's schemas.
    rmSync(join(folder, edited));
    expect(writeImport(folder, provider, fewer).removed).toContain("src/schemas/claim.ts");
  });

  it("a re-import reports each `import` statement in a person's own file that names a removed type or file", () => {
    const folder = join(temporaryFolder(), "provider-x");
    const id = { type: "string" };
    const origin = { type: "object", properties: { country: id } };
    const versions = [{ id, origin }, { id }].map((properties, index) => {
      const { get } = Object(answering({ $ref: "#/components/schemas/Policy" }));
      const paths = {
        "/policies": { get: { ...get, operationId: "listPolicies" } },
        ...(index === 0 ? { "/b": { get: { operationId: "readB", responses: { 204: {} } } } } : {}),
      };
      return imported(paths, { Policy: { type: "object", properties } });
    });
    const [before = whole, after = whole] = versions;
    writeImport(folder, provider, before);
    writeFileSync(
      join(folder, "src/origin.ts"),
      'import type { Policy, PolicyOrigin as Origin } from "./schemas/policy.ts";\nexport type Both = [Policy, Origin];\n',
    );
    writeFileSync(
      join(folder, "test/own.test.ts"),
      'import { readB } from "../src/endpoints/read-b.ts";\nimport { listPolicies } from "../src/index.ts";\n',
    );
    expect(writeImport(folder, provider, before).missing).toEqual([]);
    expect(writeImport(folder, provider, after).missing).toEqual([
      "src/origin.ts imports PolicyOrigin of src/schemas/policy.ts, which has it no longer",
      "test/own.test.ts imports src/endpoints/read-b.ts, which is removed",
    ]);
  });

  it("a re-import keeps the provider's name of the first import", () => {
    const folder = join(temporaryFolder(), "provider-x");
    writeImport(folder, { id: provider.id, name: "Ασφαλιστική" }, whole);
    expect(writeImport(folder, { id: provider.id }, whole)).toMatchObject({
      written: [],
      kept: [],
    });
    expect(readFileSync(join(folder, "src/provider.ts"), "utf8")).toContain('name: "Ασφαλιστική"');
  });

  it("a generated type has an index signature only if callers may send further fields", () => {
    const folder = join(temporaryFolder(), "provider-x");
    writeImport(folder, provider, whole);
    const text = readFileSync(join(folder, "src/schemas/policy.ts"), "utf8");
    expect(interfaceIn(text, "PolicyOriginInput")).toContain("[name: string]: unknown;");
    for (const name of ["PolicyOrigin", "PolicyInput"])
      expect(interfaceIn(text, name)).not.toContain("[name: string]");
  });

  it("the type of a list's items or a map's values is named after the field, in the singular", () => {
    const folder = join(temporaryFolder(), "provider-x");
    const one = { type: "object", properties: { id: { type: "string" } } };
    const lists = ["policies", "addresses", "boxes", "drivers", "status", "data"].map((name) => [
      name,
      { type: "array", items: one },
    ]);
    const map = { type: "object", additionalProperties: one };
    const properties = { ...Object.fromEntries(lists), covers: map };
    const quote = answering({ $ref: "#/components/schemas/Quote" });
    const written = imported({ "/a": quote }, { Quote: { type: "object", properties } });
    writeImport(folder, provider, written);
    const text = readFileSync(join(folder, "src/schemas/quote.ts"), "utf8");
    const types = [...text.matchAll(/^ {2}(\w+)\?: .*?\b(Quote\w+)\b/gm)];
    expect(Object.fromEntries(types.map(([, name = "", type]) => [name, type]))).toEqual({
      policies: "QuotePolicy",
      addresses: "QuoteAddress",
      boxes: "QuoteBox",
      drivers: "QuoteDriver",
      status: "QuoteStatusItem",
      data: "QuoteDataItem",
      covers: "QuoteCoverValue",
    });
  });

  it("a re-import completes an earlier import that was interrupted", () => {
    const folder = join(temporaryFolder(), "provider-x");
    writeImport(folder, provider, whole);
    rmSync(join(folder, "import.json"));
    rmSync(join(folder, "src/endpoints/create-policy.ts"));
    const { kept, written } = writeImport(folder, provider, whole);
    expect({ kept, written }).toEqual({ kept: [], written: ["src/endpoints/create-policy.ts"] });
  });

  it("the importer refuses an import.json with unexpected content and creates a missing import.json", () => {
    const folder = join(temporaryFolder(), "provider-x");
    writeImport(folder, provider, whole);
    writeFileSync(join(folder, "import.json"), "{}");
    expect(() => writeImport(folder, provider, whole)).toThrow(/not the record of the last import/);
    rmSync(join(folder, "import.json"));
    expect(() =>
      writeImport(folder, provider, imported({ "/a": answering({ type: "string" }) })),
    ).not.toThrow();
  });
});
