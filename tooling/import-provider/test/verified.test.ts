import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { providerDocument } from "@insurance-gateway/reference";
import { readProviderPackage } from "@insurance-gateway/reference/build";
import { expect, it, onTestFinished } from "vitest";
import { changesText, earlierContract } from "../src/changes.ts";
import { importProvider } from "../src/import-provider.ts";
import { writeImport } from "../src/write-import.ts";
import { importedPackages } from "./imported-packages.ts";
import { documentFile } from "./sample.ts";

const id = "provider-x";
const record = { date: "2026-11-23", environment: "test" };

/** A document with one operation for each name, whose answers have these fields. */
function documentOf(operations: Readonly<Record<string, readonly string[]>>): string {
  const paths = Object.entries(operations).map(([operationId, names]) => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const schema = { type: "object", required: names, properties };
    const content = { "application/json": { schema } };
    return [
      `/${operationId}`,
      { get: { operationId, responses: { 200: { description: "", content } } } },
    ];
  });
  return documentFile({
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: Object.fromEntries(paths),
  });
}

/** Imports a document into a new package. */
function packageOf(operations: Readonly<Record<string, readonly string[]>>): string {
  const { packages, remove } = importedPackages([{ from: documentOf(operations), all: true }]);
  onTestFinished(remove);
  return packages[0]?.folder ?? "";
}

/** Imports a first document, verifies every endpoint, and imports a second one into the same package. */
async function imported(
  first: Readonly<Record<string, readonly string[]>>,
  second: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly printed: string; readonly verified: readonly string[] }> {
  // Node loads the modules of a folder once, so the first contract is that of a folder of its own.
  const [folder, before] = [packageOf(first), packageOf(first)];
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  write("openapi.json", providerDocument(await readProviderPackage(before, "src")));
  write("verified.json", Object.fromEntries(Object.keys(first).map((name) => [name, record])));
  const earlier = earlierContract(folder);
  const from = documentOf(second);
  writeImport(folder, { id }, importProvider({ provider: id, from, all: true }));
  const printed = await changesText(folder, earlier);
  const file = join(folder, "verified.json");
  const verified = existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, "utf8"))) : [];
  return { printed, verified };
}

it("a re-import that breaks an endpoint removes its verification, and keeps those of the others", async () => {
  const { printed, verified } = await imported(
    { listCovers: ["name", "code"], listBrands: ["name"], listMakes: ["name"] },
    { listCovers: ["name"], listBrands: ["name", "code"], listMakes: ["name"] },
  );
  expect(verified).toEqual(["listBrands", "listMakes"]);
  expect(printed).toContain(
    "verified.json no longer has listCovers, which is not what was verified any more.\n",
  );
});

it("a re-import removes the verification of an endpoint that is gone, and says what changed", async () => {
  const { printed, verified } = await imported(
    { listCovers: ["name"], listBrands: ["name"] },
    { listBrands: ["name"] },
  );
  expect(verified).toEqual(["listBrands"]);
  expect(printed).toContain("verified.json no longer has listCovers");
  expect(printed).toContain("For users, compared with openapi.json");
});

it("a re-import that changes nothing keeps every verification", async () => {
  const { printed, verified } = await imported({ listBrands: ["name"] }, { listBrands: ["name"] });
  expect(verified).toEqual(["listBrands"]);
  expect(printed).not.toContain("verified.json");
});

it("the file is removed with its last verification", async () => {
  const { verified } = await imported({ listBrands: ["name"] }, { listCovers: ["name"] });
  expect(verified).toEqual([]);
});
