import type { ProviderDocument } from "../document/open-api.ts";

/** Formats a provider's document for a file in which reviewers can see changes line by line. */
export function writeDocument(document: ProviderDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
