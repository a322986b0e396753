import type { ProviderDocument } from "../document/open-api.ts";

/** Writes a provider's document as files hold it, so that its changes can be read line by line. */
export function writeDocument(document: ProviderDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
