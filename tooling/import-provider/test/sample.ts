import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";

const documents = fileURLToPath(new URL("./documents/", import.meta.url));

/** The document of these tests, and its overlay. */
export const sample: { readonly from: string; readonly overlay: string } = {
  from: join(documents, "sample.openapi.yaml"),
  overlay: join(documents, "sample.overlay.yaml"),
};

/** An empty folder, removed with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes a document for one test. */
export function documentFile(document: unknown, name = "document.json"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
  return file;
}

/** Imports every operation of a document with these paths and schemas. */
export function imported(paths: object, schemas: object = {}): ImportedProvider {
  const document = {
    openapi: "3.0.3",
    info: { title: "Test", version: "1" },
    paths,
    components: { schemas },
  };
  return importProvider({ provider: "provider-x", from: documentFile(document), all: true });
}

/** A path item with one GET that answers with a schema. */
export function answering(schema: unknown): object {
  return { get: { responses: { 200: { content: { "application/json": { schema } } } } } };
}

/** A path item with one POST that takes a schema as its body. */
export function taking(schema: unknown): object {
  return {
    post: {
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { 204: {} },
    },
  };
}
