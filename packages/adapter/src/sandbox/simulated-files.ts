import type { FileType } from "@insurance-gateway/core/contract";
import { onePagePdf } from "@insurance-gateway/core/runtime";
import type { SandboxFile } from "./sandbox.ts";

/** Creates a small valid file of a media type. For an unknown type, the file consists only of its signature. */
export function simulatedFile({ mediaType, signature = "" }: FileType): SandboxFile {
  const known = contentCreators[mediaType];
  const content = known === undefined ? new Uint8Array() : known();
  const isSigned = Buffer.from(content).toString("latin1").startsWith(signature);
  return {
    mediaType,
    content: isSigned ? content : new Uint8Array(Buffer.from(signature, "latin1")),
  };
}

const contentCreators: Readonly<Record<string, (() => Uint8Array) | undefined>> = {
  "application/pdf": onePagePdf,
  // An image of one transparent pixel.
  "image/png": base64Content(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  ),
  "image/gif": base64Content("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  // An archive without files consists of its end record (APPNOTE 6.3.9, section 4.3.16).
  "application/zip": () => new Uint8Array([0x50, 0x4b, 0x05, 0x06, ...new Uint8Array(18)]),
  "application/xml": textContent('<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n'),
  "text/xml": textContent('<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n'),
  "text/html": textContent("<!doctype html>\n<title>Simulated</title>\n"),
  "text/csv": textContent("simulated\r\n"),
  "text/plain": textContent("Simulated\n"),
  "application/json": textContent("{}\n"),
};

function base64Content(encoded: string): () => Uint8Array {
  return () => new Uint8Array(Buffer.from(encoded, "base64"));
}

function textContent(content: string): () => Uint8Array {
  return () => new TextEncoder().encode(content);
}
