import type { OpenApiDocument } from "../document/open-api.ts";

/** A document as files hold it, so that its changes can be read line by line. */
export function writeDocument(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
