import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { completeDocument } from "../document/complete-document.ts";
import type { ProviderDocument } from "../document/open-api.ts";
import type { DescribedProvider } from "../site/source.ts";
import { ownProblems } from "./own-problems.ts";

/** Describes the gateway's own endpoints like those of a provider. Neither its id nor its segment has a text. */
export function gatewayItself(): DescribedProvider {
  const file = createRequire(import.meta.url).resolve("@insurance-gateway/reference/openapi.json");
  // `npm run openapi` writes it, in this form.
  const written = JSON.parse(readFileSync(file, "utf8")) as ProviderDocument;
  const document = completeDocument(written, ownProblems);
  const { id, lines, name } = document.info["x-provider"];
  return { id, segment: "", name, lines, document, changelog: null };
}
