import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "@insurance-gateway/core/contract";
import { onTestFinished } from "vitest";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";
import { createSchemaOf } from "../src/schemas/zod-of.ts";

const documents = fileURLToPath(new URL("./documents/", import.meta.url));

/** The sample document of the importer's tests, and its overlay. */
export const sample: { readonly from: string; readonly overlay: string } = {
  from: join(documents, "sample.openapi.yaml"),
  overlay: join(documents, "sample.overlay.yaml"),
};

/** Creates an empty folder that the end of the test removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes a document to a file for one test and returns the path. */
export function documentFile(document: unknown, name = "document.json"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
  return file;
}

/** Imports all operations of a document with these paths and schemas. */
export function imported(paths: object, schemas: object = {}): ImportedProvider {
  const document = {
    openapi: "3.0.3",
    info: { title: "Test", version: "1" },
    paths,
    components: { schemas },
  };
  return importProvider({ provider: "provider-x", from: documentFile(document), all: true });
}

/** Returns a path item with a GET operation whose answer has the schema. */
export function answering(schema: unknown): object {
  return { get: { responses: { 200: { content: { "application/json": { schema } } } } } };
}

/** Returns a path item with a POST operation whose body has the schema. */
export function taking(schema: unknown): object {
  return {
    post: {
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { 204: {} },
    },
  };
}

/** Returns an object schema that requires each of its properties. */
export const object = (properties: object, rest: object = {}): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...rest,
});

/** Reports whether the only request of an import accepts a body. */
export function accepts(written: ImportedProvider, body: unknown): boolean {
  const [endpoint] = written.endpoints;
  const definition = endpoint?.body?.media[0]?.definition;
  return definition !== undefined && check(createSchemaOf()(definition), body).valid;
}
