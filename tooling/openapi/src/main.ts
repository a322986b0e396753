import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CATALOGUE_FILE, makeDocuments, writeCatalogue } from "./documents.ts";

/** `npm run openapi`: writes each provider's openapi.json from its declarations and their comments, and the catalogue. */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const documents = await makeDocuments(root);
for (const { file, text } of [
  ...documents,
  { file: CATALOGUE_FILE, text: writeCatalogue(documents) },
]) {
  writeFileSync(join(root, file), text);
  process.stdout.write(`${file}\n`);
}
