import type { ProviderDocument } from "../document/open-api.ts";

/** Formats a provider's OpenAPI document so that reviewers can see changes of the file line by line. */
export function writeDocument(document: ProviderDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
