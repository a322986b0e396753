import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeDocuments } from "./documents.ts";

/** `npm run openapi`: writes each provider's openapi.json anew, from its declarations and their comments. */
const root = fileURLToPath(new URL("../../../", import.meta.url));
for (const { file, text } of await makeDocuments(root)) {
  writeFileSync(join(root, file), text);
  process.stdout.write(`${file}\n`);
}
