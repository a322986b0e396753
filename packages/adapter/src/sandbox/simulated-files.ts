import type { FileType } from "@insurance-gateway/core/contract";
import type { SandboxFile } from "./sandbox.ts";

/** Creates a small valid file of a type. For an unknown type, it is only the signature. */
export function fileOf({ mediaType, signature = "" }: FileType): SandboxFile {
  const known = contents[mediaType];
  const content = known === undefined ? new Uint8Array() : known();
  const isSigned = Buffer.from(content).toString("latin1").startsWith(signature);
  return {
    mediaType,
    content: isSigned ? content : new Uint8Array(Buffer.from(signature, "latin1")),
  };
}

const contents: Readonly<Record<string, (() => Uint8Array) | undefined>> = {
  "application/pdf": pdf,
  // One transparent pixel.
  "image/png": base64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  ),
  "image/gif": base64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  // An archive without files is its end record (APPNOTE 6.3.9, section 4.3.16).
  "application/zip": () => new Uint8Array([0x50, 0x4b, 0x05, 0x06, ...new Uint8Array(18)]),
  "application/xml": text('<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n'),
  "text/xml": text('<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n'),
  "text/html": text("<!doctype html>\n<title>Simulated</title>\n"),
  "text/csv": text("simulated\r\n"),
  "text/plain": text("Simulated\n"),
  "application/json": text("{}\n"),
};

function base64(encoded: string): () => Uint8Array {
  return () => new Uint8Array(Buffer.from(encoded, "base64"));
}

function text(content: string): () => Uint8Array {
  return () => new TextEncoder().encode(content);
}

/** A PDF page with one word (ISO 32000-1, 7.5): the objects, the table of their offsets, and the trailer. */
function pdf(): Uint8Array {
  const shown = "BT /F1 24 Tf 72 720 Td (Simulated) Tj ET";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let content = "%PDF-1.4\n";
  let table = "0000000000 65535 f \n";
  for (const [index, object] of objects.entries()) {
    table += `${String(content.length).padStart(10, "0")} 00000 n \n`;
    content += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const start = content.length;
  content += `xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\n`;
  return new TextEncoder().encode(`${content}startxref\n${start}\n%%EOF\n`);
}
