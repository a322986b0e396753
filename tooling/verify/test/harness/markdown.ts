import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const repository: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** Returns the code blocks of a language in a document of the repository, in order. */
export function codeBlocks(document: string, language: string): readonly string[] {
  const text = readFileSync(new URL(document, `file://${repository}`), "utf8");
  const blocks = text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter(([, found]) => found === language).map(([, , code = ""]) => code);
}
