import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operationsOf } from "@insurance-gateway/reference";
import { expect, it, onTestFinished } from "vitest";
import { changesSince, earlierContract, removeVerified } from "../src/changes.ts";
import { importProvider } from "../src/import-provider.ts";
import { loadWritten } from "../src/load-written.ts";
import { writeImport } from "../src/write-import.ts";
import { importedPackages } from "./imported-packages.ts";
import { documentFile } from "./sample.ts";

const id = "provider-x";
const record = { date: "2026-11-23", environment: "test" };

/** Returns a document with these operations, whose answers have the listed fields. */
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

/** Returns a document whose answer is one of these kinds of animals. Each kind has a field that other kinds lack. */
function animalsDocument(...kinds: readonly string[]): string {
  const schemas = Object.fromEntries(
    kinds.map((kind) => {
      const properties = { kind: { type: "string" }, [`${kind}Age`]: { type: "integer" } };
      return [kind, { type: "object", required: Object.keys(properties), properties }];
    }),
  );
  const alternatives = kinds.map((kind) => ({ $ref: `#/components/schemas/${kind}` }));
  const schema = { oneOf: alternatives, discriminator: { propertyName: "kind" } };
  const content = { "application/json": { schema } };
  const responses = { 200: { description: "", content } };
  return documentFile({
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: { "/animal": { get: { operationId: "readAnimal", responses } } },
    components: { schemas },
  });
}

/** Imports a document into a new package and returns the folder. */
function packageOf(from: string): string {
  const { packages, remove } = importedPackages([{ from, all: true }]);
  onTestFinished(remove);
  return packages[0]?.folder ?? "";
}

interface Reimport {
  readonly first: string;
  readonly second: string;
  /** Simulates a person's edit of the package between the imports. */
  readonly change?: (folder: string) => void;
}

/** Imports a document, marks every endpoint as verified, and imports a second document into the same package. */
async function reimported({
  change = () => undefined,
  first,
  second,
}: Reimport): Promise<{ readonly printed: string; readonly verified: readonly string[] }> {
  const folder = packageOf(first);
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  const document = await loadWritten(folder);
  const names = operationsOf(document).map(({ operation }) => operation.operationId);
  write("openapi.json", document);
  write("verified.json", Object.fromEntries(names.map((name) => [name, record])));
  change(folder);
  const earlier = earlierContract(folder);
  writeImport(folder, { id }, importProvider({ provider: id, from: second, all: true }));
  const { outdated, text } = changesSince(folder, earlier, await loadWritten(folder));
  expect(verifiedIn(folder)).toEqual(names);
  const printed = text + removeVerified(folder, outdated);
  return { printed, verified: verifiedIn(folder) };
}

/** Imports and re-imports a package like `reimported`, for two documents that differ in the fields of answers. */
function imported(
  first: Readonly<Record<string, readonly string[]>>,
  second: Readonly<Record<string, readonly string[]>>,
  change?: Reimport["change"],
): ReturnType<typeof reimported> {
  return reimported({
    first: documentOf(first),
    second: documentOf(second),
    ...(change === undefined ? {} : { change }),
  });
}

/** Returns the names of the endpoints in verified.json, if the file exists. */
function verifiedIn(folder: string): readonly string[] {
  const file = join(folder, "verified.json");
  return existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, "utf8"))) : [];
}

it("a re-import that breaks an endpoint removes only this endpoint's record from verified.json", async () => {
  const { printed, verified } = await imported(
    { listCovers: ["name", "code"], listBrands: ["name"], listMakes: ["name"] },
    { listCovers: ["name"], listBrands: ["name", "code"], listMakes: ["name"] },
  );
  expect(verified).toEqual(["listBrands", "listMakes"]);
  expect(printed).toContain(
    "Removed listCovers from verified.json: it is not as it was verified.\n",
  );
});

it("a re-import that omits an earlier endpoint removes the endpoint's record from verified.json and lists the change", async () => {
  const { printed, verified } = await imported(
    { listCovers: ["name"], listBrands: ["name"] },
    { listBrands: ["name"] },
  );
  expect(verified).toEqual(["listBrands"]);
  expect(printed).toContain("Removed listCovers from verified.json");
  expect(printed).toContain("For users, compared with openapi.json");
});

it("a re-import without changes keeps every record in verified.json", async () => {
  const { printed, verified } = await imported({ listBrands: ["name"] }, { listBrands: ["name"] });
  expect(verified).toEqual(["listBrands"]);
  expect(printed).not.toContain("verified.json");
});

it("a re-import that removes the last record in verified.json deletes the file", async () => {
  const { verified } = await imported({ listBrands: ["name"] }, { listCovers: ["name"] });
  expect(verified).toEqual([]);
});

it("a re-import keeps an endpoint's record in verified.json if a person renamed the endpoint's file", async () => {
  const { printed, verified } = await imported(
    { listCovers: ["name"], listBrands: ["name"] },
    { listCovers: ["name"] },
    (folder) => {
      for (const kind of ["endpoints", "examples"])
        renameSync(
          join(folder, "src", kind, "list-brands.ts"),
          join(folder, "src", kind, "brands.ts"),
        );
    },
  );
  expect(printed).not.toContain("verified.json");
  expect(verified).toEqual(["listBrands", "listCovers"]);
});

it("a re-import fails with the reason if the package cannot be built", async () => {
  const reimport = imported(
    { listCovers: ["name"], listBrands: ["name"] },
    { listBrands: ["name"] },
    (folder) => appendFileSync(join(folder, "src/provider.ts"), 'throw new Error("unfinished");'),
  );
  await expect(reimport).rejects.toThrow("cannot be built: unfinished");
});

it("a re-import keeps an endpoint's record in verified.json if the answer's discriminator has an additional value", async () => {
  const { printed, verified } = await reimported({
    first: animalsDocument("Cat", "Dog"),
    second: animalsDocument("Cat", "Dog", "Bird"),
  });
  expect(printed).toContain("Bird");
  expect(verified).toEqual(["readAnimal"]);
});
