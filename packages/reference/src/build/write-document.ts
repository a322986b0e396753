import type { ProviderDocument } from "../document/open-api.ts";

/** Formats a provider's document for a file, so that changes can be reviewed line by line. */
export function writeDocument(document: ProviderDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
