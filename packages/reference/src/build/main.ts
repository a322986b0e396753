import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operationsOf, providerDocument } from "../document/provider-document.ts";
import { readProviderPackage } from "./provider-package.ts";
import { writeDocument } from "./write-document.ts";

/** Run by a provider's build, in its folder and after its modules are built: writes what is derived into `dist/reference`. */
const folder = process.cwd();
const source = await readProviderPackage(folder, "dist");
const target = join(folder, "dist/reference");
mkdirSync(target, { recursive: true });
const document = providerDocument(source);
writeFileSync(join(target, "openapi.json"), writeDocument(document));
if (operationsOf(document).length > 0) {
  // Loaded only where it is needed: most providers of a workspace may have no endpoint yet.
  const { writeCollections } = await import("./write-collections.ts");
  for (const [name, content] of Object.entries(writeCollections(document)))
    writeFileSync(join(target, name), content);
}
