import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { routeDataOf } from "@insurance-gateway/adapter/installation";
import { providerDocument } from "../document/provider-document.ts";
import { readProviderPackage } from "./provider-package.ts";
import { writeDocument } from "./write-document.ts";

/**
 * Writes the reference files of a provider into the folder `dist` of the provider's package.
 * @param contract - the file of the package to which the provider's part of the contract is also written
 */
export async function writeReference(folder: string, contract?: string): Promise<void> {
  const source = await readProviderPackage(folder);
  const document = providerDocument(source);
  const target = join(folder, "dist/reference");
  mkdirSync(target, { recursive: true });
  // The file has no white space, because every application installs it and only programs read it.
  writeFileSync(join(target, "openapi.json"), JSON.stringify(document));
  if (contract !== undefined) writeFileSync(join(folder, contract), writeDocument(document));
  writeFileSync(join(folder, "dist/gateway.json"), JSON.stringify(routeDataOf(source.provider)));
}
