import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CATALOGUE_FILE, makeDocuments, makeOwnDocument, writeCatalogue } from "./documents.ts";

/**
 * `npm run openapi`: writes the openapi.json of each provider and of the gateway itself from the declarations and their
 * comments, and then the catalogue. A faulty package does not prevent the files of other packages, but the catalogue.
 */
const root = process.argv[2] ?? fileURLToPath(new URL("../../../", import.meta.url));
const documents = await makeDocuments(root, (fault) => {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
});
for (const { file, text } of [await makeOwnDocument(root), ...documents]) write(file, text);
if (process.exitCode === undefined) write(CATALOGUE_FILE, writeCatalogue(documents));
else process.stderr.write(`${CATALOGUE_FILE} is unchanged: it needs every provider.\n`);

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
  process.stdout.write(`${file}\n`);
}
